"""The notebook and the examples run, and show what they promise."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import carom
import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent.parent / "examples"
PACKAGE = str(Path(carom.__file__).parents[1])


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes import the package that is tested."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [PACKAGE, os.environ.get("PYTHONPATH")])))


def run(name: str, *arguments: object) -> str:
    command = [sys.executable, EXAMPLES / name, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def numbers(pattern: str, text: str) -> list[float]:
    """The numbers where a pattern has its groups."""
    found = re.search(pattern, text, re.MULTILINE)
    assert found, text
    return [float(group) for group in found.groups()]


def test_the_notebook_runs_from_top_to_bottom() -> None:
    notebook = nbformat.read(EXAMPLES / "quickstart.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    shown = [output for cell in code for output in cell.outputs]
    pictures = [output.data["image/svg+xml"] for output in shown if "data" in output and "image/svg+xml" in output.data]
    assert len(pictures) == 2
    text = "".join(output.text for output in shown if output.output_type == "stream" and output.name == "stdout")
    assert "at rest: True  up at 0.1 m/s: False" in text
    assert text.count("in the set: True") == 2
    assert numbers("largest deviation: (.*)", text)[0] < 1e-9


def test_the_controller_lowers_the_worst_case() -> None:
    text = run("controller.py", "--quick")
    start, end = numbers(r"no order of impacts exceeds +(\S+) J at the start, (\S+) J", text)
    assert end < 0.3 * start


def test_the_policy_that_saw_one_outcome_is_worse_in_the_worst_case(tmp_path: Path) -> None:
    text = run("train_policy.py", "--quick", "--out", tmp_path / "policy.svg")
    one, every = numbers(r"^ +0 +(\S+) \(\S+\) +(\S+) \(", text)
    assert one > 1.2 * every
    assert ElementTree.parse(tmp_path / "policy.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
