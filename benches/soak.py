#!/usr/bin/env python3
"""Asks a server nine calls about each of many PDFs, with several clients at once, and counts false answers.

usage: soak.py PROGRAM [--clients N] FOLDER

For each file, in a conversation of its own: its summary, its first page as a PDF, the same page again (which must not come
again), forgetting it, the page once more (which must come, with the same bytes), its text, its facts, its picture, and a
search. The same calls are then made by one client alone, of a new server, and the answers are compared, but for what they
say of as many pages as there was time for.
"""

import argparse
import http.client
import json
import os
import queue
import re
import subprocess
import tempfile
import threading
import time


class Session:
    """One MCP session over a connection that is kept."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        self.id, self.number = None, 0
        parameters = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}
        self.ask("initialize", parameters)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if self.id:
            headers["mcp-session-id"] = self.id
        self.connection.request("POST", "/mcp", json.dumps(message), headers)
        response = self.connection.getresponse()
        self.id = self.id or response.getheader("mcp-session-id")
        return response.read().decode()

    def ask(self, method, parameters):
        self.number += 1
        answer = self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        found = [line[6:] for line in answer.splitlines() if line.startswith("data: {")] or [answer]
        return json.loads(found[-1])

    def call(self, tool, **arguments):
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return answer.get("result") or {"isError": True, "content": [{"type": "text", "text": json.dumps(answer)}]}

    def close(self):
        self.connection.request("DELETE", "/mcp", headers={"mcp-session-id": self.id})
        self.connection.getresponse().read()
        self.connection.close()


def blobs(answer):
    """The bytes of PDFs and pictures in an answer."""
    blocks = answer.get("content", [])
    return [block.get("resource", {}).get("blob") or block.get("data") for block in blocks if block["type"] != "text"]


def judge(path, page, again, fresh):
    """What is false in the answers about a page that was given, asked for again, and asked for after it was forgotten."""
    if page.get("isError"):
        return [] if again.get("isError") and fresh.get("isError") else [f"{path}: refused once, then not"]
    wrong = []
    if blobs(again):
        wrong.append(f"{path}: sent twice")
    if blobs(fresh) != blobs(page):
        wrong.append(f"{path}: forgotten, and not the same bytes again")
    if blobs(page) and again.get("isError"):
        wrong.append(f"{path}: held, and refused")
    return wrong


def ask_all(session, path):
    """The nine answers."""
    summary = session.call("get_file", filePath=path)
    handle = re.search(r"conv_[0-9a-f]+", json.dumps(summary["content"]))
    if not handle:
        return [summary] * 9
    page = {"filePath": path, "pages": "1", "as": "document", "conversation": handle[0]}
    return [
        summary,
        session.call("get_file", **page),
        session.call("get_file", **page),
        session.call("context_forget", filePath=path, conversation=handle[0]),
        session.call("get_file", **page),
        session.call("pdf_extract_text", path=path, pages="1"),
        session.call("pdf_info", path=path),
        session.call("pdf_render_page", path=path, page=1),
        session.call("pdf_search", path=path, query="the"),
    ]


def plain(answer, data):
    """An answer without what differs from server to server, and without what a summary found in its time."""
    answer = {key: value for key, value in answer.items() if key != "_meta"}
    said = json.dumps(answer, sort_keys=True).replace(data, "DATA")
    sampled = r"Estimated tokens of all [^\\]*|Hidden text[^\\]*\\n| \(of \d+ pages looked at\)"
    return re.sub(rf"conv_[0-9a-f]+|{sampled}", "", said)


def run(program, folder, files, clients):
    """The answers by file, what is false in them, and seconds."""
    answers, wrong, left = {}, [], queue.SimpleQueue()
    for path in files:
        left.put(path)
    with tempfile.TemporaryDirectory() as data:
        command = [program, "serve", "--http", "127.0.0.1:0", "--root", folder, "--tools", "all", "--set", "http_log=false"]
        variables = os.environ | {"PAGEWISE_DATA_DIR": data}
        with subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True) as server:
            port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
            threading.Thread(target=server.stderr.read, daemon=True).start()

            def client():
                while not left.empty():
                    try:
                        path = left.get_nowait()
                    except queue.Empty:
                        return
                    session = Session(port)
                    asked = ask_all(session, path)
                    session.close()
                    wrong.extend(judge(path, asked[1], asked[2], asked[4]))
                    answers[path] = [plain(answer, data) for answer in asked]

            start = time.monotonic()
            threads = [threading.Thread(target=client) for _ in range(clients)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds = time.monotonic() - start
            server.terminate()
    return answers, wrong, seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--clients", type=int, default=8)
    chosen = parser.parse_args()
    folder = os.path.realpath(chosen.folder)
    found = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
    files = sorted(path for path in found if path.endswith(".pdf"))
    together, wrong, seconds = run(chosen.program, folder, files, chosen.clients)
    print(f"{len(files)} files, {9 * len(together)} calls by {chosen.clients} clients in {seconds:.0f} s")
    alone, wrong_alone, seconds = run(chosen.program, folder, files, 1)
    print(f"the same by one client in {seconds:.0f} s")
    wrong += [f"{path}: not answered" for path in files if path not in together or path not in alone]
    for path in sorted(together.keys() & alone.keys()):
        differ = [at for at, (one, other) in enumerate(zip(together[path], alone[path]), 1) if one != other]
        wrong += [f"{path}: call {at} differs" for at in differ]
    print(*(wrong + wrong_alone)[:40], sep="\n")
    print(f"{len(wrong) + len(wrong_alone)} false answers")


main()
