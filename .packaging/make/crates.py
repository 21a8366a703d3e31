"""The crates that end up in the program, as cargo resolves them for the platforms of a release."""

import json
import subprocess

from release import PLATFORMS, ROOT


def metadata(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def reached(resolved):
    """Identifiers that normal dependencies reach from the program; build scripts and tests are not shipped."""
    nodes = {node["id"]: node for node in resolved["resolve"]["nodes"]}
    found, waiting = set(), [resolved["resolve"]["root"]]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            for dependency in nodes[current]["deps"]:
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    waiting.append(dependency["pkg"])
    return found, nodes


def shipped():
    """Each package by identifier, and the identifiers that it depends on."""
    packages, edges = {}, {}
    for platform in PLATFORMS:
        resolved = metadata(platform["target"])
        found, nodes = reached(resolved)
        packages |= {package["id"]: package for package in resolved["packages"] if package["id"] in found}
        for current in found:
            direct = {dependency["pkg"] for dependency in nodes[current]["deps"]}
            edges.setdefault(current, set()).update(direct & found)
    return packages, edges


def is_own(package):
    """Whether it is a package of this workspace."""
    return package["source"] is None
