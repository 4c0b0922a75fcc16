"""pushed frames → an archive that a team reads: accounts, the push protocol, workers, the app."""
