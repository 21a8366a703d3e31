#!/usr/bin/env python3
"""wheel.py PROGRAMS PACKAGES: a wheel for each platform, which carries the program as a script.

The name `pagewise` on PyPI belongs to another project. A command of the package's own name lets `uvx` start it.
"""

import base64
import hashlib

from release import (DESCRIPTION, KEYWORDS, LICENCE, NAME, REPOSITORY, ROOT, SERVER, VERSION, arguments, built,
                     executable, licences, write_zip)

PYPI_NAME = next(package["identifier"] for package in SERVER["packages"] if package["registryType"] == "pypi")
MODULE = PYPI_NAME.replace("-", "_")
START = '''"""Starts the program that the wheel installed beside Python."""

import os
import subprocess
import sys
import sysconfig


def main():
    program = os.path.join(sysconfig.get_path("scripts"), "pagewise" + (".exe" if os.name == "nt" else ""))
    if os.name == "nt":
        sys.exit(subprocess.run([program, *sys.argv[1:]]).returncode)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
'''


def metadata():
    """Fields of the core metadata, version 2.4, and the README, which proves the name to the MCP registry."""
    fields = [("Metadata-Version", "2.4"), ("Name", PYPI_NAME), ("Version", VERSION), ("Summary", DESCRIPTION),
              ("Keywords", ",".join(KEYWORDS)), ("License-Expression", LICENCE), ("License-File", "LICENSE-APACHE"),
              ("License-File", "LICENSE-MIT"), ("License-File", "THIRD-PARTY-LICENSES.txt"),
              ("Project-URL", f"Repository, {REPOSITORY}"), ("Requires-Python", ">=3.8"),
              ("Description-Content-Type", "text/markdown")]
    head = "".join(f"{key}: {value}\n" for key, value in fields)
    return f"{head}\n{(ROOT / 'README.md').read_text()}\nmcp-name: {SERVER['name']}\n"


def record(files, name):
    """One line for each file: name, hash, size."""
    def line(path, content):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(content)}\n"
    return "".join(line(*file) for file in files.items()) + f"{name},,\n"


def write(packages, platform, program):
    tags = platform["wheel"]
    info = f"{MODULE}-{VERSION}.dist-info"
    script = f"{MODULE}-{VERSION}.data/scripts/{executable(platform)}"
    files = {script: program.read_bytes(), f"{MODULE}/__init__.py": b"", f"{MODULE}/__main__.py": START.encode()}
    files |= {f"{info}/licenses/{name}": content for name, content in licences(packages).items()}
    wheel = "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\n{wheel}".encode()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{PYPI_NAME} = {MODULE}.__main__:main\n".encode()
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD").encode()
    write_zip(packages / f"{MODULE}-{VERSION}-py3-none-{tags}.whl", files, {script})


def main():
    programs, packages = arguments()
    for platform, program in built(programs):
        write(packages, platform, program)


main()
