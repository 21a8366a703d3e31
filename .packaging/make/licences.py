#!/usr/bin/env python3
"""licences.py PACKAGES: THIRD-PARTY-LICENSES.txt, the licence texts of everything that is compiled in."""

import re
import sys
from pathlib import Path

from crates import is_own, shipped
from release import ROOT, report

# Files of licences and notices, also those of C libraries that a crate carries; depth is what such crates have.
NAMES = re.compile(r"(?i)^(licen[cs]e|copying|copyright|notice|unlicense)([-._].*)?$")
MAX_DEPTH = 3
# C libraries that state their terms in another file.
BESIDE = {"qpdf-sys": ["jpeg/README", "zlib/zlib.h"], "libsqlite3-sys": []}
SQLITE = "SQLite is in the public domain: https://sqlite.org/copyright.html"


def texts(folder):
    files = [path for path in sorted(folder.rglob("*")) if len(path.relative_to(folder).parts) <= MAX_DEPTH]
    return [path for path in files if path.is_file() and NAMES.match(path.name) and path.suffix not in (".rs", ".html")]


def zlib_notice(path):
    """The first comment of zlib.h is its licence; the rest is code."""
    return path.read_text(errors="replace").split("*/")[0].lstrip("/* \n")


def found(package):
    folder = Path(package["manifest_path"]).parent
    listed = {str(path.relative_to(folder)): path.read_text(errors="replace") for path in texts(folder)}
    for name in BESIDE.get(package["name"], []):
        path = folder / name
        if path.is_file():
            listed[name] = zlib_notice(path) if path.suffix == ".h" else path.read_text(errors="replace")
    if package["name"] == "libsqlite3-sys":
        listed["sqlite3"] = SQLITE
    return listed


def main():
    packages, _ = shipped()
    parties = sorted((package for package in packages.values() if not is_own(package)), key=lambda p: (p["name"], p["version"]))
    seen, lines, silent = {}, ["pagewise is compiled with these packages. Each text stands once.\n"], []
    for package in parties:
        title = f"{package['name']} {package['version']}: {package['license'] or 'see its text'}"
        lines.append(f"\n{'=' * 100}\n{title}\n{package['repository'] or ''}\n")
        files = found(package)
        if not files:
            silent.append(title)
        for name, text in files.items():
            key = " ".join(text.split())
            if key in seen:
                lines.append(f"\n{name}: the text under {seen[key]}\n")
            else:
                seen[key] = f"{package['name']} {package['version']}, {name}"
                lines.append(f"\n{name}:\n\n{text.strip()}\n")
    (ROOT / sys.argv[1]).mkdir(parents=True, exist_ok=True)
    path = ROOT / sys.argv[1] / "THIRD-PARTY-LICENSES.txt"
    path.write_text("".join(lines))
    report(path)
    print(f"{len(parties)} packages; {len(silent)} carry no text and are named with their licence alone")


main()
