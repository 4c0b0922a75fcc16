"""Generated transcripts and contestants → a table of times, peaks and ratios.

`generate` writes believable transcripts of any size from a seed; `contest` lets contestants read
them, each in a process of its own; `contestants` is the table of who takes part.
"""
