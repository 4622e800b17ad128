"""Writes the pages of the site into a folder: site_pages.py FOLDER.

They are those of docs/ and some that stand elsewhere, with links of the site, and with what GitHub
reads in Markdown and Python-Markdown does not; and one with the docstrings of the Python package.
"""

import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: Files of the repository and the pages that they become; docs/NAME becomes NAME.
PAGES = {
    "README.md": "index.md",
    "docs/README.md": "pages.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benches/README.md": "benches.md",
    "python/README.md": "python.md",
    "web/README.md": "browser.md",
    **{f"benches/results/{f.name}": f"results/{f.name}" for f in ROOT.glob("benches/results/*.md")},
}
for file in ROOT.glob("docs/**/*.*"):
    PAGES.setdefault(file.relative_to(ROOT).as_posix(), file.relative_to(ROOT / "docs").as_posix())

#: Where the repository lies, for links to files that are no pages.
REPOSITORY = os.environ.get("SITE_REPOSITORY", "").rstrip("/")

IMAGE = re.compile(r'<img src="([^"]*)" width="(\d+)" alt="([^"]*)">')
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w+) (\S+)$")
CODE = re.compile(r"`[^`]*`")


def page(source: str) -> str:
    """The text of a page of the site."""

    def link(match: re.Match[str]) -> str:
        text, target = match.groups()
        if "://" in target or target.startswith("#"):
            return match[0]
        file, mark, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), file))
        if not (ROOT / path).exists():
            sys.exit(f"{source}: nothing at {target}")
        if path in PAGES:
            folder = posixpath.dirname(PAGES[source])
            return f"[{text}]({posixpath.relpath(PAGES[path], folder)}{mark}{anchor})"
        return f"[{text}]({REPOSITORY}/tree/HEAD/{path})" if REPOSITORY else text

    def line(text: str) -> str:
        text = IMAGE.sub(r"![\3](\1){ width=\2 }", text)
        if text.startswith("|"):
            text = CODE.sub(lambda code: code[0].replace(r"\|", "|"), text)
        return LINK.sub(link, text)

    lines, inside = [], False
    for text in (ROOT / source).read_text("utf-8").split("\n"):
        fence = text.startswith("```")
        lines.append(FENCE.sub(r'```\1 title="\2"', text) if fence or inside else line(text))
        inside ^= fence
    return "\n".join(lines)


def main(folder: Path) -> None:
    """Writes all pages, each of which the navigation has to lead to."""
    shutil.rmtree(folder, ignore_errors=True)
    led = set(re.findall(r"[\w/-]+\.md$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE))
    for source, place in PAGES.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix != ".md":
            shutil.copyfile(ROOT / source, target)
            continue
        if place not in led:
            sys.exit(f"mkdocs.yml does not lead to {place}, which is {source}")
        target.write_text(page(source), "utf-8")
    (folder / "python-names.md").write_text("# Names of the Python package\n\n::: carom\n")


main(Path(sys.argv[1]))
