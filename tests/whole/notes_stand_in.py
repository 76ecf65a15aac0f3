"""A stand-in for somebody's own software: its members find each other by a list of addresses."""

import argparse
import json
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
parser.add_argument("--name", required=True)
parser.add_argument("--join", required=True)
own = parser.parse_args()


def names() -> list[str]:
    """The members that answer, each under the name it was started with."""
    found = []
    for address in own.join.split(","):
        try:
            with urllib.request.urlopen(f"http://{address}/name", timeout=2) as answer:
                found.append(answer.read().decode())
        except OSError:
            continue
    return sorted(found)


ANSWERS: dict[str, Callable[[], str]] = {
    "/health": lambda: "",
    "/name": lambda: own.name,
    "/members": lambda: json.dumps(names()),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        text = ANSWERS[self.path]().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


ThreadingHTTPServer(("", 8080), Handler).serve_forever()
