#!/usr/bin/env python3
"""client.py VERSION FILE COMMAND...: starts a server as a client does, and reads the first page of FILE.

Prints the seconds from the start to the tools, and to the page. Fails if the server has another version.
"""

import json
import subprocess
import sys
import time


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.last = 0

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.last:
                return answer["result"]
        sys.exit(f"the server ended before it answered {method}")

    def stop(self):
        """A client closes the input; the server ends by itself."""
        self.process.stdin.close()
        return self.process.wait(timeout=10)


def main():
    version, file, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    begun = time.monotonic()
    server = Server(command)
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "stranger", "version": "1"}}
    found = server.request("initialize", about)["serverInfo"]["version"]
    assert found == version, f"the server is of version {found}"
    server.send({"method": "notifications/initialized"})
    tools = server.request("tools/list", {})["tools"]
    listed = time.monotonic() - begun
    page = server.request("tools/call", {"name": "get_file", "arguments": {"filePath": file, "pages": "1", "as": "text"}})
    assert not page.get("isError"), page["content"]
    size = sum(len(block.get("text", "")) for block in page["content"])
    assert size > 100, page["content"]
    seconds = time.monotonic() - begun
    assert server.stop() == 0
    print(f"{len(tools)} tools after {listed:.2f} s, {size} characters of page 1 after {seconds:.2f} s")


main()
