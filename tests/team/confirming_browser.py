"""A browser that a person would use: it logs in, opens a page of a device, and confirms its code.

python -m tests.team.confirming_browser NAME PASSWORD URL
"""

import sys
from urllib.parse import parse_qs, urlsplit

import httpx

PATIENCE = 60


def confirm(name: str, password: str, url: str) -> None:
    """Log in to the server of a page, and confirm the code in its URL."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    code = parse_qs(parts.query)["code"][0]
    headers = {"origin": origin}
    with httpx.Client(base_url=origin, headers=headers, trust_env=False, timeout=PATIENCE) as page:
        page.post("/login", data={"name": name, "password": password})
        page.get(url).raise_for_status()
        page.post("/device", data={"code": code, "answer": "confirm"}).raise_for_status()


if __name__ == "__main__":
    confirm(*sys.argv[1:])
