#!/usr/bin/env python3
"""archive.py PROGRAMS PACKAGES: an archive for each platform, with manual, completions and licences.

The manual and the completions are the same everywhere. They come from PAGEWISE, a program that runs on this machine.
"""

import os
import re
import subprocess

from release import NAME, ROOT, VERSION, arguments, built, executable, licences, write_tar_gz, write_zip

SHELLS = {"bash": f"{NAME}.bash", "zsh": f"_{NAME}", "fish": f"{NAME}.fish", "powershell": f"_{NAME}.ps1"}


def output(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True).stdout


def manual(program, *words):
    """The page of the program or of a command, and those of the commands in it."""
    pages = {f"man/{'-'.join([NAME, *words])}.1": output(program, "man", *words)}
    listing = output(program, *words, "--help").decode().partition("Commands:")[2].partition("Options")[0]
    for command in re.findall(r"^  (\S+)", listing, re.MULTILINE):
        pages |= manual(program, *words, command)
    return pages


def completions(program):
    return {f"completions/{file}": output(program, "completions", shell) for shell, file in SHELLS.items()}


def main():
    programs, packages = arguments()
    native = os.environ.get("PAGEWISE") or str(built(programs)[0][1])
    shared = manual(native) | completions(native) | licences(packages)
    shared["README.md"] = (ROOT / "README.md").read_bytes()
    for platform, program in built(programs):
        folder, binary = f"{NAME}-{VERSION}-{platform['target']}", executable(platform)
        files = {f"{folder}/{name}": content for name, content in shared.items()}
        files[f"{folder}/{binary}"] = program.read_bytes()
        write, suffix = (write_zip, "zip") if binary.endswith(".exe") else (write_tar_gz, "tar.gz")
        write(packages / f"{folder}.{suffix}", files, {f"{folder}/{binary}"})


main()
