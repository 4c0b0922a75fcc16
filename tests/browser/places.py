"""The pages of the app, each by a name, as addresses of one archive."""

from urllib.parse import quote

import httpx


def all_places(client: httpx.Client) -> dict[str, str]:
    """Give the address of one page of every kind."""
    sessions = client.get("/api/sessions", params={"sort": "messages"}).json()["sessions"]
    runs = client.get("/api/agent-runs").json()["agent_runs"]
    files = client.get("/api/files", params={"sort": "changes"}).json()["files"]
    session = f"/sessions/{quote(sessions[0]['id'], safe='')}"
    return {
        "sessions": "/",
        "by project": "/?group=project&sort=cost&has_errors=true",
        "no sessions": "/?text=nothingislikethis",
        "search": "/search",
        "hits": "/search?q=test",
        "a bad query": "/search?q=%22",
        "usage": "/usage",
        "files": "/files",
        "a file": f"/files/history?path={quote(files[0]['path'], safe='')}",
        "a session": session,
        "an errand": f"/sessions/{quote(runs[0]['session_id'], safe='')}/runs/{runs[0]['id']}",
        "Archived files": f"{session}/kept",
        "Timeline": f"{session}/timeline",
        "door": "/login",
        "not there": "/sessions/nope",
    }
