"""Write the sample sessions into the package."""

from clew.samples import samples_root
from tools.make_samples import write_samples

if __name__ == "__main__":
    transcripts = write_samples(samples_root())
    files = [file for file in (samples_root() / "projects").rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    print(f"{len(transcripts)} sessions, {len(files)} files, {size / 1000:,.0f} kB")
