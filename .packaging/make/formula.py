#!/usr/bin/env python3
"""formula.py PROGRAMS PACKAGES: the Homebrew formula, pagewise.rb, which installs the archives."""

from release import DESCRIPTION, DOWNLOADS, LICENCE, NAME, REPOSITORY, VERSION, arguments, built, report, sha256

INSTALL = '''
  def install
    bin.install "pagewise"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/pagewise.bash" => "pagewise"
    zsh_completion.install "completions/_pagewise"
    fish_completion.install "completions/pagewise.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pagewise --version")
  end
end
'''


def source(packages, platform):
    file = f"{NAME}-{VERSION}-{platform['target']}.tar.gz"
    _, processor = platform["formula"]
    return (f"    on_{processor} do\n      url \"{DOWNLOADS}/{file}\"\n"
            f"      sha256 \"{sha256(packages / file)}\"\n    end\n")


def system(packages, name, platforms):
    """The sources of one system; nothing if there are none."""
    inside = "".join(source(packages, platform) for platform in platforms if platform["formula"][0] == name)
    return f"\n  on_{name} do\n{inside}  end\n" if inside else ""


def main():
    programs, packages = arguments()
    platforms = [platform for platform, _ in built(programs) if "formula" in platform]
    choices = ", ".join(f'"{name}"' for name in LICENCE.split(" OR "))
    head = (f"class {NAME.capitalize()} < Formula\n  desc \"{DESCRIPTION}\"\n  homepage \"{REPOSITORY}\"\n"
            f"  version \"{VERSION}\"\n  license any_of: [{choices}]\n")
    systems = "".join(system(packages, name, platforms) for name in ("macos", "linux"))
    path = packages / f"{NAME}.rb"
    path.write_text(head + systems + INSTALL)
    report(path)


main()
