#!/usr/bin/env python3
"""registry.py PROGRAMS PACKAGES: server.json with the bundles, whose hashes only a release knows."""

import copy

from release import DOWNLOADS, NAME, SERVER, VERSION, arguments, built, sha256, write_json


def bundle(packages, platform):
    file = f"{NAME}-{VERSION}-{platform['target']}.mcpb"
    facts = {"registryType": "mcpb", "identifier": f"{DOWNLOADS}/{file}", "fileSha256": sha256(packages / file)}
    return facts | {"transport": {"type": "stdio"}}


def main():
    programs, packages = arguments()
    server = copy.deepcopy(SERVER)
    server["packages"] += [bundle(packages, platform) for platform, _ in built(programs)]
    write_json(packages / "server.json", server)


main()
