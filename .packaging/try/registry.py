#!/usr/bin/env python3
"""registry.py PACKAGES PORT_FILE: a registry of npm on the loopback, which serves the tarballs of a folder."""

import base64
import hashlib
import json
import sys
import tarfile
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PACKAGES, PORT_FILE = map(Path, sys.argv[1:3])


def manifest(tarball):
    with tarfile.open(tarball) as archive:
        return json.load(archive.extractfile("package/package.json"))


TARBALLS = {manifest(tarball)["name"]: tarball for tarball in PACKAGES.glob("*.tgz")}


def packument(name, address):
    """What npm asks for first: the versions of a package, here one."""
    tarball, facts = TARBALLS[name], manifest(TARBALLS[name])
    digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    facts["dist"] = {"tarball": f"{address}/files/{tarball.name}", "integrity": f"sha512-{digest}"}
    return {"name": name, "dist-tags": {"latest": facts["version"]}, "versions": {facts["version"]: facts}}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        name = urllib.parse.unquote(self.path.lstrip("/"))
        files = {f"files/{tarball.name}": tarball for tarball in TARBALLS.values()}
        if name in TARBALLS:
            self.answer(200, json.dumps(packument(name, f"http://{self.headers['Host']}")).encode())
        elif name in files:
            self.answer(200, files[name].read_bytes())
        else:
            self.answer(404, b"{}")

    def answer(self, status, content):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
PORT_FILE.write_text(str(server.server_port))
server.serve_forever()
