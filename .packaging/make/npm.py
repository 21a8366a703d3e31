#!/usr/bin/env python3
"""npm.py PROGRAMS PACKAGES: a package for each platform, and the package that depends on the one that fits.

npm chooses by `os` and `cpu`. Nothing runs or is fetched after the installation.
"""

import json

from release import (DESCRIPTION, KEYWORDS, LICENCE, NAME, PACKAGING, PLATFORMS, REPOSITORY, ROOT, SERVER, VERSION,
                     arguments, built, executable, licences, write_tar_gz)


def package_name(platform):
    return f"@{NAME}/{platform['npm']['os']}-{platform['npm']['cpu']}"


def manifest(name, **more):
    common = {"name": name, "version": VERSION, "description": DESCRIPTION, "license": LICENCE}
    common["repository"] = {"type": "git", "url": f"git+{REPOSITORY}.git"}
    return json.dumps(common | more, indent=2).encode() + b"\n"


def write(packages, name, files, executables):
    file = f"{name.removeprefix('@').replace('/', '-')}-{VERSION}.tgz"
    inside = {f"package/{path}": content for path, content in files.items()}
    write_tar_gz(packages / file, inside, {f"package/{path}" for path in executables})


def write_platform(packages, platform, program):
    name, binary = package_name(platform), executable(platform)
    only = {key: [value] for key, value in platform["npm"].items()}
    about = f"The program of {NAME} for {platform['target']}. Install `{NAME}` instead.\n"
    files = {"package.json": manifest(name, **only, preferUnplugged=True), "README.md": about.encode()}
    write(packages, name, files | licences(packages) | {binary: program.read_bytes()}, {binary})


def write_main(packages):
    script = f"bin/{NAME}.js"
    facts = {
        "keywords": KEYWORDS,
        "mcpName": SERVER["name"],
        "bin": {NAME: script},
        "engines": {"node": ">=18"},
        "optionalDependencies": {package_name(platform): VERSION for platform in PLATFORMS},
    }
    files = {"package.json": manifest(NAME, **facts), "README.md": (ROOT / "README.md").read_bytes()}
    files[script] = (PACKAGING / "make/pagewise.js").read_bytes()
    own = {name: content for name, content in licences(packages).items() if name.startswith("LICENSE")}
    write(packages, NAME, files | own, {script})


def main():
    programs, packages = arguments()
    for platform, program in built(programs):
        write_platform(packages, platform, program)
    write_main(packages)


main()
