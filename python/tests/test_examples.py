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


def test_policies_are_told_and_compared(tmp_path: Path) -> None:
    text = run("landing_policies.py", "--quick", "--processes", 1, "--out", tmp_path / "landing.svg")
    rows = re.findall(r"^\| (.+?) \| ([0-9.]+) \[([0-9.]+), ([0-9.]+)\]", text, re.MULTILINE)
    assert len(rows) == 2 * 10 and {name for name, *_ in rows} > {"legs held still", "carom's set", "carom's set, worst"}
    assert all(float(low) <= float(mean) <= float(high) for _, mean, low, high in rows)
    # Where MuJoCo lands as it does, a policy that knows it is better than none.
    own = {name: float(mean) for name, mean, *_ in rows[:10]}
    assert own["MuJoCo's own outcome"] < 0.5 * own["legs held still"]
    assert ElementTree.parse(tmp_path / "landing.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_feedback_through_an_impact_is_compared() -> None:
    text = run("invariant_control.py", "--quick")
    plain, impulses = numbers(r"(?s)quadruped:.*?\| plain \| ([0-9.]+).*?\| impulses \| ([0-9.]+)", text)
    assert impulses < plain
