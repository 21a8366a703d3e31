"""What all packages share: facts of Cargo.toml, platforms, and archives whose bytes depend on their content alone."""

import gzip
import hashlib
import io
import json
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / ".packaging"
MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text())
PACKAGE = MANIFEST["package"] | MANIFEST["workspace"]["package"]
NAME, VERSION, REPOSITORY = PACKAGE["name"], PACKAGE["version"], PACKAGE["repository"]
DESCRIPTION, KEYWORDS, LICENCE = PACKAGE["description"], PACKAGE["keywords"], PACKAGE["license"]
PLATFORMS = json.loads((PACKAGING / "platforms.json").read_text())
SERVER = json.loads((PACKAGING / "mcp/server.json").read_text())
DOWNLOADS = f"{REPOSITORY}/releases/download/v{VERSION}"
# The first day that a zip archive can name.
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)


def arguments():
    """The folder of programs, one folder for each target, and the folder for packages."""
    programs, packages = Path(sys.argv[1]), Path(sys.argv[2])
    packages.mkdir(parents=True, exist_ok=True)
    return programs, packages


def executable(platform):
    return f"{NAME}.exe" if "windows" in platform["target"] else NAME


def built(programs):
    """Each platform whose program is there, with its program."""
    found = [(platform, programs / platform["target"] / executable(platform)) for platform in PLATFORMS]
    found = [(platform, program) for platform, program in found if program.is_file()]
    if not found:
        sys.exit(f"no program below {programs}: expected TARGET/{NAME}")
    return found


def licences(packages):
    """The licence files by name. The third parties' were written by licences.py."""
    files = {name: (ROOT / name).read_bytes() for name in ("LICENSE-APACHE", "LICENSE-MIT")}
    files["THIRD-PARTY-LICENSES.txt"] = (packages / "THIRD-PARTY-LICENSES.txt").read_bytes()
    return files


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def mode(name, executables):
    return 0o755 if name in executables else 0o644


def write_tar_gz(path, files, executables=()):
    """Writes `files`, bytes by name."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), mode(name, executables)
            archive.addfile(entry, io.BytesIO(content))
    with path.open("wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as compressed:
        compressed.write(plain.getvalue())
    report(path)


def write_zip(path, files, executables=()):
    """Writes `files`, bytes by name, in their order."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, ZIP_EPOCH)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode(name, executables)) << 16
            archive.writestr(entry, content)
    report(path)


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")
    report(path)


def report(path):
    print(f"{path}  {path.stat().st_size:,} bytes")
