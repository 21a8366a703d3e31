#!/usr/bin/env python3
"""bundle.py PROGRAMS PACKAGES: an MCP bundle for each platform, which hosts install by a click."""

import json

from release import NAME, PACKAGING, VERSION, arguments, built, executable, licences, write_zip


def manifest(platform):
    """The checked-in manifest for one platform."""
    value = json.loads((PACKAGING / "mcp/manifest.json").read_text())
    entry = f"server/{executable(platform)}"
    value["version"] = VERSION
    value["server"]["entry_point"] = entry
    value["server"]["mcp_config"]["command"] = f"${{__dirname}}/{entry}"
    value["compatibility"] = {"platforms": [platform["bundle"]]}
    return value, entry


def main():
    programs, packages = arguments()
    for platform, program in built(programs):
        value, entry = manifest(platform)
        files = {"manifest.json": json.dumps(value, indent=2).encode(), entry: program.read_bytes()}
        files["icon.png"] = (PACKAGING / "icon/pagewise-512.png").read_bytes()
        write_zip(packages / f"{NAME}-{VERSION}-{platform['target']}.mcpb", files | licences(packages), {entry})


main()
