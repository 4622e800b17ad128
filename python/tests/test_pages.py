"""The Python on the pages runs, and prints what they show."""

import contextlib
import importlib.util
import io
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "python/README.md", *(ROOT / "docs").glob("*.md")])

#: What the tests do not install.
OPTIONAL = ("h5py", "pinocchio", "pydrake", "torch")

#: A plan of five files.
PLAN = """
problem = "rocking-block"
samples = 10
states = 20

[velocity]
block.y = [-1, -0.1]

[files]
rows = 40
"""


class Block(NamedTuple):
    """A block of Python, the line above it, and what the page says that it prints."""

    line: int
    code: str
    printed: str | None


def blocks(text: str) -> list[Block]:
    found = []
    fences = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
    for match in fences.finditer(text):
        found.append(Block(text.count("\n", 0, match.start()) + 1, match[1], match[2]))
    return found


def known(code: str) -> bool:
    """Whether everything is installed that a block imports."""
    imported = re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)
    return all(name not in OPTIONAL or importlib.util.find_spec(name) for name in imported)


def run(block: Block, at: str, names: dict[str, Any]) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * block.line + block.code, at, "exec"), names)
    if block.printed is not None:
        assert printed.getvalue() == block.printed, at


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run_one_after_the_other(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    for folder in ("examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    names: dict[str, Any] = {"__name__": "page"}
    for block in filter(lambda block: known(block.code), blocks(page.read_text())):
        run(block, str(page), names)


def test_the_file_of_the_biped_is_what_its_page_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs/biped.md"
    run(blocks(page.read_text())[0], str(page), {})
    kept, written = np.load(ROOT / "examples/biped.npz"), np.load("biped.npz")
    assert kept.files == written.files
    for name in kept.files:
        np.testing.assert_allclose(written[name], kept[name], rtol=0, atol=1e-14)


def test_a_block_that_prints_something_else_is_found() -> None:
    [block] = blocks("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n")
    assert block == Block(1, "print(1 + 1)\n", "3\n")
    with pytest.raises(AssertionError):
        run(block, "page", {})
