#!/usr/bin/env python3
"""Plays twelve tasks over MCP as a coding agent would, and counts calls and the tokens that reach its model.

    python3 benches/tasks/tasks.py target/release/pagewise [OTHER_PROGRAM] [--client NAME] [--documents FILE] [--verbose]

Without --documents the tasks use the fixtures. FILE is JSON: {"chapter": {"file": ..., "section": ...}, ...}; see
DOCUMENTS for the keys. Tokens are those of o200k_base if bpe_openai or tiktoken is installed, else characters / 4.
"""

import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from clients import CLIENTS, page_cost, picture_cost, tokens

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

# What each task reads. A value in --documents replaces the one of the same key. A task is done if the model saw the words
# of "expect" in some text, or a picture or a PDF, which show everything.
DOCUMENTS = {
    "chapter": {"file": "latex.pdf", "section": "From sheet to page", "expect": "small act of arithmetic"},
    "term": {"file": "libreoffice.pdf", "query": "table", "expect": "A letter about paper"},
    "table": {"file": "latex.pdf", "query": "Folds, leaves", "expect": "Sextodecimo"},
    "form": {"file": "form.pdf", "pages": "1-3", "expect": "barge"},
    "scan": {"file": "scan.pdf", "pages": "1-2"},
    "versions": {"before": "report-v1.pdf", "after": "report-v2.pdf"},
    "compaction": {"file": "typst.pdf", "pages": "1-3", "again": "2"},
    "damaged": {"file": "cairo.pdf", "pages": "1"},
    "comments": {"file": "annotations.pdf", "expect": "width of this margin"},
    "attachment": {"file": "attachments.pdf", "expect": "wove,120"},
    "library": {"place": ".", "query": "leaves"},
    "quotation": {"file": "latex.pdf", "expect": "altered", "quote": "A page is a promise: what stands on it will stay there tomorrow"},
}


class Server:
    """An MCP server over standard input and output."""

    def __init__(self, program, client, folder, data):
        environment = {**os.environ, "PAGEWISE_DATA_DIR": str(data)}
        self.process = subprocess.Popen(
            [program, "serve", "--root", str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder, env=environment,
        )
        self.number = 0
        info = {"name": client, "version": "1"}
        start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        self.instructions = self.request("initialize", start)["instructions"]
        self.send({"method": "notifications/initialized"})
        self.tools = self.request("tools/list", {})["tools"]

    def send(self, message):
        self.process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return message["result"]
        raise SystemExit(f"the server ended during {method}")

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)


class Agent:
    """A model behind one client: calls tools and counts what reaches it."""

    def __init__(self, program, client, folder, data, page_text, verbose):
        self.client = CLIENTS[client]
        self.server = Server(program, client, folder, data)
        self.page_text, self.verbose = page_text, verbose
        self.calls = self.tokens = 0
        self.seen = ""
        self.sees_pages = False

    def call(self, tool, **arguments):
        """Calls a tool. Gives the text that the model sees, and whether it is an error."""
        result = self.server.request("tools/call", {"name": tool, "arguments": arguments})
        if self.client.cancels:
            self.server.send({"method": "notifications/cancelled", "params": {"requestId": self.server.number}})
        seen = self.client.seen(result)
        text = "\n".join(part for kind, part in seen if kind == "text")
        self.seen += text
        self.sees_pages |= any(kind != "text" for kind, _ in seen)
        cost = tokens(json.dumps(arguments)) + tokens(tool) + sum(self.cost(kind, part) for kind, part in seen)
        # A PDF that the client saved is read with a call of its own.
        reads = sum(1 for kind, _ in seen if kind == "pdf") if self.client.reads_saved else 0
        self.calls += 1 + reads
        self.tokens += cost + reads * self.client.read_tokens
        if self.verbose:
            print(f"  {tool} {json.dumps(arguments)}: {cost} tokens, {[kind for kind, _ in seen]}\n{text}\n")
        return text, bool(result.get("isError"))

    def cost(self, kind, part):
        match kind:
            case "text":
                return tokens(part)
            case "image":
                return picture_cost(self.client.provider, *png_size(part))
            case _:
                return page_cost(self.client.provider, self.page_text(part))


def png_size(data):
    """Width and height of a PNG."""
    return struct.unpack(">II", data[16:24])


def chapter(agent, folder, file, section):
    agent.call("get_file", filePath=file)
    agent.call("get_file", filePath=file, pages=f"section:{section}")


def first_page(found):
    """The first page that a search lists."""
    page = re.search(r"Page (\d+)", found) or re.search(r'"pages":\{"(\d+)"', found) or re.search(r'"(\d+)":', found)
    return page.group(1) if page else None


def find_and_read(agent, file, query):
    found, _ = agent.call("pdf_search", path=file, query=query)
    page = first_page(found)
    if page is not None:
        agent.call("get_file", filePath=file, pages=page)


def term(agent, folder, file, query):
    find_and_read(agent, file, query)


def table(agent, folder, file, query):
    find_and_read(agent, file, query)


def form(agent, folder, file, pages):
    agent.call("pdf_info", path=file)
    agent.call("get_file", filePath=file, pages=pages)


def scan(agent, folder, file, pages):
    agent.call("get_file", filePath=file)
    agent.call("get_file", filePath=file, pages=pages)


def versions(agent, folder, before, after):
    file = folder / "the-report.pdf"
    shutil.copy(folder / before, file)
    _, is_refused = agent.call("get_file", filePath=file.name, pages="1-")
    if is_refused:
        agent.call("get_file", filePath=file.name)
        agent.call("get_file", filePath=file.name, pages="1-3")
    shutil.copy(folder / after, file)
    os.utime(file, (1, 1))
    agent.call("context_updates")
    agent.call("get_file", filePath=file.name, pages="1-")


def compaction(agent, folder, file, pages, again):
    agent.call("get_file", filePath=file)
    agent.call("get_file", filePath=file, pages=pages)
    agent.call("get_file", filePath=file, pages=again)
    agent.call("context_status")
    agent.call("context_forget")
    agent.call("get_file", filePath=file, pages=again)


def damaged(agent, folder, file, pages):
    data = (folder / file).read_bytes()
    (folder / "damaged.pdf").write_bytes(data[: len(data) - 600])
    agent.call("get_file", filePath="damaged.pdf")
    agent.call("get_file", filePath="damaged.pdf", pages=pages)


def comments(agent, folder, file):
    told, _ = agent.call("pdf_info", path=file)
    named = re.search(r"Comments: .* on pages? ([\d,-]+)", told) or re.search(r'"comments":{.*?"pages":"([\d,-]+)"', told)
    agent.call("get_file", filePath=file, pages=named.group(1) if named else "1-")


def attachment(agent, folder, file):
    told, _ = agent.call("pdf_info", path=file)
    named = re.search(r"#attachment=([\w.%-]+)", told)
    if named:
        agent.call("get_file", filePath=f"{file}#attachment={named.group(1)}")


def library(agent, folder, place, query):
    _, is_refused = agent.call("get_file", filePath=".")
    _, is_alone = agent.call("pdf_search", path=".", query=query)
    for file in sorted(folder.glob("*.pdf")) if is_refused or is_alone else []:
        agent.call("pdf_search", path=file.name, query=query)


def quotation(agent, folder, file, quote):
    _, is_refused = agent.call("pdf_search", path=file, quote=quote)
    if is_refused:
        find_and_read(agent, file, " ".join(quote.split()[:4]))


TASKS = {name: globals()[name] for name in DOCUMENTS}


def play(program, client, documents, verbose):
    """Plays every task. Gives calls, tokens and notes by task, and what the list of tools costs."""
    rows = {}
    measure_place = tempfile.mkdtemp()
    measure = Server(program, "measure", Path(measure_place), Path(measure_place) / "data")

    def page_text(data):
        (Path(measure_place) / "page.pdf").write_bytes(data)
        answer = measure.request("tools/call", {"name": "pdf_extract_text", "arguments": {"path": "page.pdf"}})
        return answer["content"][0]["text"]

    for name, run in TASKS.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "documents"
            folder.mkdir()
            asked = dict(documents[name])
            expected = asked.pop("expect", "")
            for key in ("file", "before", "after"):
                if key in asked:
                    source = FIXTURES / asked[key]
                    shutil.copy(source, folder / source.name)
            asked = {key: Path(value).name if key in ("file", "before", "after") else value for key, value in asked.items()}
            for source in sorted((FIXTURES / asked["place"]).glob("*.pdf")) if "place" in asked else []:
                shutil.copy(source, folder / source.name)
            if verbose:
                print(f"== {name}")
            agent = Agent(program, client, folder, Path(place) / "data", page_text, verbose)
            run(agent, folder, **asked)
            is_done = expected in agent.seen or agent.sees_pages
            rows[name] = (agent.calls, agent.tokens, is_done)
            listed = agent.server
            listed.end()
    measure.end()
    shutil.rmtree(measure_place)
    start = tokens(listed.instructions) + sum(
        tokens(json.dumps([tool["name"], tool["description"], tool["inputSchema"]])) for tool in listed.tools
    )
    return rows, start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", help="one program, or an older one and a newer one")
    parser.add_argument("--client", action="append", choices=sorted(CLIENTS))
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    documents = DOCUMENTS | (json.loads(options.documents.read_text()) if options.documents else {})
    for client in options.client or sorted(CLIENTS):
        played = [play(os.path.abspath(program), client, documents, options.verbose) for program in options.programs]
        report(client, options.programs, played)


def report(client, programs, played):
    """Prints calls and tokens by task and program. Tasks that a program cannot do count for none."""
    print(f"\n{client}: calls and tokens of {' and '.join(programs)}")
    sums = [(0, 0)] * len(played)
    for name in TASKS:
        rows = [rows[name] for rows, _ in played]
        is_done = all(done for _, _, done in rows)
        if is_done:
            sums = [(calls + row[0], cost + row[1]) for (calls, cost), row in zip(sums, rows)]
        cells = "  ".join(f"{calls:3} {cost:8,}" if done else "  not done  " for calls, cost, done in rows)
        print(f"  {name:12} {cells}{change([row[1] for row in rows]) if is_done else ''}")
    print(f"  {'all':12} " + "  ".join(f"{calls:3} {cost:8,}" for calls, cost in sums) + change([cost for _, cost in sums]))
    starts = [start for _, start in played]
    print(f"  {'tool list':12} " + "  ".join(f"    {start:8,}" for start in starts) + change(starts))


def change(costs):
    """The change from the first cost to the last."""
    return f" {100 * (costs[-1] / costs[0] - 1):+5.0f} %" if len(costs) > 1 and costs[0] else ""


if __name__ == "__main__":
    main()
