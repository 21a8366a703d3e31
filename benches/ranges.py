#!/usr/bin/env python3
"""Compares what pagewise reads by ranges with what it reads from disk, and counts requests.

usage: ranges.py PROGRAM [--delay MS] [--page N] FILE...

Each file is served by a plain HTTP server with ranges on loopback. Its middle page (or page N) is cut once from disk and
once by ranges. Printed for each file: requests and bytes for that page, for the next one, and for the summary, and the
time of the first in milliseconds. The last line counts files, those that differ, and those that neither way could cut.
"""

import argparse
import collections
import http.server
import json
import os
import subprocess
import tempfile
import threading
import time

FILES, LOG, DELAY = {}, [], 0.0


class Ranges(http.server.BaseHTTPRequestHandler):
    """Sends ranges of files, with a strong validator."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        time.sleep(DELAY)
        path = FILES[self.path]
        size = os.path.getsize(path)
        first, last = self.headers.get("Range", f"bytes=0-{size - 1}").removeprefix("bytes=").split("-")
        first, last = int(first), min(int(last), size - 1)
        with open(path, "rb") as file:
            file.seek(first)
            body = file.read(last - first + 1)
        LOG.append(len(body))
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("ETag", f'"{size}"')
        self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def run(program, data, *arguments):
    """Runs the program; its output file's bytes if it wrote one."""
    out = os.path.join(data, "out.pdf")
    variables = {"PAGEWISE_DATA_DIR": data, "PAGEWISE_WEB_ALLOW_RANGES": "127.0.0.1", "PAGEWISE_WEB_MAX_BYTES": "65536"}
    arguments = [argument.replace("OUT", out) for argument in arguments]
    done = subprocess.run([program, *arguments], env=os.environ | variables, capture_output=True)
    written = open(out, "rb").read() if done.returncode == 0 and out in arguments else None
    if os.path.exists(out):
        os.remove(out)
    return written, done


def counted(work):
    """What `work` gives, and the requests and bytes that it took."""
    LOG.clear()
    result = work()
    return result, (len(LOG), sum(LOG))


def main():
    global DELAY
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--delay", type=float, default=0)
    parser.add_argument("--page", type=int)
    parser.add_argument("files", nargs="+")
    typed = parser.parse_args()
    DELAY = typed.delay / 1000
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tally = collections.Counter()
    for number, file in enumerate(typed.files):
        with tempfile.TemporaryDirectory() as data:
            _, info = run(typed.program, data, "info", file, "--json")
            pages = json.loads(info.stdout or "{}").get("pages", 1)
            page = typed.page or (pages + 1) // 2
            FILES[f"/{number}"] = file
            url = f"http://127.0.0.1:{server.server_address[1]}/{number}"
            expected, local = run(typed.program, data, "page", file, str(page), "--out", "OUT")
            start = time.monotonic()
            (found, remote), first = counted(lambda: run(typed.program, data, "page", url, str(page), "--out", "OUT"))
            took = (time.monotonic() - start) * 1000
            _, second = counted(lambda: run(typed.program, data, "page", url, str(min(page + 1, pages)), "--out", "OUT"))
        with tempfile.TemporaryDirectory() as data:
            _, summary = counted(lambda: run(typed.program, data, "get-file", url))
        kind = "differs" if expected != found else "neither" if expected is None else "same"
        tally[kind] += 1
        print(f"{kind}\t{first}\t{second}\t{summary}\t{took:.0f} ms\t{file}", flush=True)
        if kind == "differs":
            print("  disk:", local.stderr.decode()[:200], "\n  ranges:", remote.stderr.decode()[:200])
    print(dict(tally))


main()
