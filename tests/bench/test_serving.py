import sys
from pathlib import Path

from bench.child import Page, Task
from bench.serving import run_server

SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    asked = 0
    def do_GET(self):
        Handler.asked += 1
        body = b"".join(b'<a href="&#x2f;sessions&#x2f;%d">' % n for n in range(Handler.asked))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(f"Serving on http://127.0.0.1:{server.server_port}/", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit(CODE)
"""


def serve(tmp_path: Path, code: int = 0) -> Task:
    script = tmp_path / "server.py"
    script.write_text(SERVER.replace("CODE", str(code)), "utf-8")
    return Task("", command=[sys.executable, "-u", str(script)])


def test_a_page_is_there_when_it_lists_enough_sessions(tmp_path: Path) -> None:
    attempt = run_server(serve(tmp_path), Page("/", sessions=3))

    assert attempt.problem == ""
    assert attempt.seconds >= attempt.figures["address s"] > 0
    assert attempt.figures["page ms"] > 0
    assert attempt.peak_bytes > 1_000_000


def test_a_server_must_end_well(tmp_path: Path) -> None:
    assert run_server(serve(tmp_path, 5), Page("/")).problem == "the server ended with 5"


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    task = Task(str(tmp_path), command=[sys.executable, "-c", "raise SystemExit('port taken')"])

    assert run_server(task, Page("/")).problem == "port taken"
