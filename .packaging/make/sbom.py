#!/usr/bin/env python3
"""sbom.py PACKAGES: what the program is made of, as CycloneDX 1.6."""

import sys
from pathlib import Path

from crates import is_own, shipped
from release import LICENCE, NAME, VERSION, write_json


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def licence(package):
    """An expression of SPDX; older crates separate choices by a stroke."""
    return [{"expression": package["license"].replace("/", " OR ")}] if package["license"] else []


def component(package, kind="library"):
    url = reference(package)
    value = {"type": kind, "bom-ref": url, "name": package["name"], "version": package["version"], "purl": url}
    return value | {"licenses": licence(package)} if package["license"] else value


def main():
    packages, edges = shipped()
    own = next(package for package in packages.values() if is_own(package) and package["name"] == NAME)
    others = sorted((package for package in packages.values() if package is not own), key=reference)
    links = [{"ref": reference(packages[one]), "dependsOn": sorted({reference(packages[to]) for to in edges[one]})}
             for one in sorted(packages, key=lambda one: reference(packages[one]))]
    value = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
             "metadata": {"component": component(own, "application")},
             "components": [component(package) for package in others], "dependencies": links}
    write_json(Path(sys.argv[1]) / f"{NAME}-{VERSION}.cdx.json", value)


main()
