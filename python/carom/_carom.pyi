from _typeshed import Incomplete, SupportsGetItem
from os import PathLike
from typing import Any, Final, SupportsFloat, SupportsIndex, final

__all__ = ["__version__", "Plan", "Prepared", "Problem", "Samples", "Sampling", "Saved", "batch_jacobian", "call", "main", "read", "restored", "sample", "sample_batch", "seeds_of_states", "unfinished"]

__version__: Final[str]
"""
The version of the engine, by the name that Python has for it.
"""

@final
class Plan:
    """
    The plan of a data set; see `carom.DatasetPlan`.
    """
    def __new__(cls, /, path: str | PathLike[str]) -> Plan: ...
    def claim(self, /, directory: str | PathLike[str]) -> None:
        """
        Makes the directory that of this data set, unless it is that of another.
        """
    def file_name(self, /, file: SupportsIndex) -> str:
        """
        The name of a file within the directory of the data set.
        """
    @property
    def files(self, /) -> int: ...
    @property
    def fingerprint(self, /) -> str: ...
    def finish(self, /, directory: str | PathLike[str]) -> int:
        """
        Writes `dataset.json` and `README.md` of the files that are there; how many rows they have.
        """
    def has(self, /, directory: str | PathLike[str], file: SupportsIndex) -> bool:
        """
        Whether a file is there, whole.
        """
    def listed(self, /, directory: str | PathLike[str], file: SupportsIndex) -> bool:
        """
        Whether a file is there, by what its end says of it.
        """
    @property
    def name(self, /) -> str: ...
    @staticmethod
    def of_arrays(name: str, mass: Incomplete, normal: Incomplete, tangent: Incomplete, friction: Incomplete, velocity: Incomplete, restitution: Incomplete | None, active: Incomplete | None, coordinates: SupportsGetItem[int, str] | None, contacts: SupportsGetItem[int, str] | None, options: Sampling, samples: SupportsIndex, seed: SupportsIndex, rows: SupportsIndex | None) -> Plan:
        """
        The plan of states in arrays, of which each has a row; see `carom.DatasetPlan.of_states`.
        """
    def run_file(self, /, directory: str | PathLike[str], file: SupportsIndex) -> None:
        """
        Makes a file, unless it is there.
        """
    @property
    def samples(self, /) -> int: ...
    @property
    def states(self, /) -> int: ...
    @property
    def warnings(self, /) -> list[str]: ...

@final
class Prepared:
    """
    See `carom.Prepared`. Threads take turns.
    """
    def __new__(cls, /, problem: Problem, options: Sampling, seed: SupportsIndex) -> Prepared: ...
    def sample(self, /, first: SupportsIndex, count: SupportsIndex) -> tuple[Any, Any, Any, Any, Incomplete, Incomplete, Any]:
        """
        Samples `first .. first + count`.
        """
    def set_velocity(self, /, velocity: Incomplete) -> str | None:
        """
        Sets the velocity before the impact (n); the warning that nothing can happen, if so. A
        velocity that is refused leaves the last one in place.
        """
    @property
    def tolerance(self, /) -> float:
        """
        The largest residual of an accepted sample.
        """
    @property
    def warnings(self, /) -> list[str]:
        """
        The warnings about the problem.
        """

@final
class Problem:
    """
    A checked contact problem; see `carom.ContactProblem`.
    """
    @staticmethod
    def arrays(name: str, mass: Incomplete, normal: Incomplete, tangent: Incomplete | None, friction: Incomplete | None, velocity: Incomplete, restitution: Incomplete | None, bilateral: Incomplete | None, coordinates: SupportsGetItem[int, str] | None, units: SupportsGetItem[int, str] | None, contacts: SupportsGetItem[int, str] | None) -> Problem:
        """
        The problem of arrays and names, which are those of a problem file: `mass` (n,n), rows of
        `normal` (m,n), `tangent` (d m,n) and `bilateral` (b,n), coefficients (m), `velocity` (n).
        """
    @property
    def contact_count(self, /) -> int: ...
    @property
    def contacts(self, /) -> list[str]: ...
    @property
    def coordinates(self, /) -> list[str]: ...
    @property
    def delassus(self, /) -> Incomplete: ...
    def direction(self, /, text: str) -> Incomplete:
        """
        Checks a direction of velocities in the words of `carom bound`; its numbers (n).
        """
    @property
    def friction(self, /) -> Incomplete: ...
    @property
    def jacobian(self, /) -> Incomplete:
        """
        `J = [Jn; Jt]`, K rows.
        """
    def json(self, /) -> str:
        """
        The problem file, JSON.
        """
    def kinetic_energy(self, /, velocity: Incomplete) -> float: ...
    @property
    def mass(self, /) -> Incomplete: ...
    @property
    def name(self, /) -> str: ...
    @property
    def restitution(self, /) -> Incomplete | None: ...
    @property
    def samples(self, /) -> int:
        """
        The default number of samples.
        """
    @staticmethod
    def scene(what: str, set: SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]]) -> Problem:
        """
        The problem of a built-in scene, or of a file, with values of its parameters.
        """
    @property
    def source(self, /) -> tuple[str, list[tuple[str, float]]] | None:
        """
        The scene or file that it is from, and the values of its parameters.
        """
    @property
    def tangents(self, /) -> int: ...
    @staticmethod
    def text(name: str, text: str) -> Problem:
        """
        The problem of the text of a file, TOML or JSON.
        """
    @property
    def units(self, /) -> list[str | None]:
        """
        The units of the velocities, where they are known.
        """
    @property
    def velocity(self, /) -> Incomplete: ...
    @property
    def warnings(self, /) -> list[str]: ...
    def with_velocity(self, /, velocity: Incomplete) -> Problem:
        """
        The problem with another velocity before the impact.
        """

@final
class Samples:
    """
    The samples of a run: read-only arrays of NumPy that own their numbers, and what is needed to
    ask them. Arrays of numbers that are not whole have the precision of the run.
    """
    def ask(self, /, answering: str, arguments: SupportsGetItem[int, str]) -> str:
        """
        The answer to a question of `carom query`, JSON; `answering`: the `samples` alone, the exact
        `set` beside them, or `proofs` as well.
        """
    @property
    def contact_velocity(self, /) -> Any: ...
    def draw(self, /, arguments: SupportsGetItem[int, str], name: str) -> bytes:
        """
        A picture of the set: the bytes of a file of this name.
        """
    @property
    def forecast(self, /) -> bool:
        """
        Whether the samples are forecasts of a model, not outcomes of its law alone.
        """
    @property
    def impulse(self, /) -> Any: ...
    def jacobian(self, /, wrt: str, hold_step: bool, branches: bool, first: SupportsIndex, count: SupportsIndex) -> tuple[Incomplete, Incomplete]:
        """
        The derivatives of the first `count` samples, from number `first` on: (N,n,p), and whether
        each sample has one. Others have those of their branches if that is asked for, else NaN.
        """
    def jvp(self, /, direction: Incomplete, first: SupportsIndex, count: SupportsIndex) -> Incomplete:
        """
        The one-sided derivatives of the first `count` samples, from number `first` on, along a
        change of the velocity before the impact (n): (N,n).
        """
    @property
    def kinetic_energy(self, /) -> Any: ...
    def modes(self, /) -> tuple[Incomplete, list[str]]:
        """
        The mode of each contact (N,m), and the names of modes.
        """
    def problem(self, /) -> str:
        """
        The problem that was sampled, with the options' restitution and uncertainty, JSON.
        """
    def prove(self, /, arguments: SupportsGetItem[int, str], farthest: tuple[SupportsFloat | SupportsIndex, SupportsIndex] | None) -> str:
        """
        Proofs of what no outcome of the law exceeds, JSON; `farthest`: the value and the number of
        the sample that goes farthest, if any. Draws no sample.
        """
    @property
    def repaired(self, /) -> Incomplete: ...
    @property
    def residual(self, /) -> Any: ...
    @property
    def status(self, /) -> Incomplete: ...
    @property
    def steps(self, /) -> Incomplete: ...
    def summary(self, /) -> str:
        """
        The report of `carom sample --json`.
        """
    @property
    def tolerance(self, /) -> float:
        """
        The largest residual of an accepted sample.
        """
    @property
    def velocity(self, /) -> Any: ...
    @property
    def warnings(self, /) -> list[str]: ...
    def write(self, /, path: str | PathLike[str], wrt: str | None) -> None:
        """
        Writes every sample to a file, `.parquet` or `.npz`.
        """

@final
class Sampling:
    """
    What is asked for beside a problem, samples and a seed: a law with its options, device and
    precision.
    """
    def __new__(cls, /, fields: str) -> Sampling:
        """
        Reads the fields that differ from their defaults, JSON, and the model file that they name.
        """

@final
class Saved:
    """
    The accepted samples of a file.
    """
    def ask(self, /, answering: str, arguments: SupportsGetItem[int, str]) -> str:
        """
        The answer to a question of `carom query`, JSON; `answering`: the `samples` alone, the exact
        `set` beside them, or `proofs` as well.
        """
    def draw(self, /, arguments: SupportsGetItem[int, str], name: str) -> bytes:
        """
        A picture of the set: the bytes of a file of this name.
        """
    def problem(self, /) -> str:
        """
        The problem that was sampled, JSON.
        """
    def prove(self, /, arguments: SupportsGetItem[int, str], farthest: tuple[SupportsFloat | SupportsIndex, SupportsIndex] | None) -> str:
        """
        Proofs of what no outcome of the law exceeds, JSON; `farthest`: the value and the number of
        the sample that goes farthest, if any. Draws no sample.
        """
    def record(self, /) -> str:
        """
        The record of the run, JSON.
        """
    @property
    def sample(self, /) -> Incomplete:
        """
        The numbers of the samples.
        """
    @property
    def velocity(self, /) -> Incomplete: ...

def batch_jacobian(mass: Incomplete, normal: Incomplete, tangent: Incomplete, friction: Incomplete, velocity: Incomplete, restitution: Incomplete | None, active: Incomplete | None, options: Sampling, samples: SupportsIndex, seeds: Incomplete, wrt: str, hold_step: bool, branches: bool) -> tuple[Incomplete, Incomplete]:
    """
    The derivatives of the first `samples` samples of each of B states: (B,N,n,p), and whether each
    sample has one (B,N); see `carom.Batch.jacobian`. Contacts that a state does not have get zeros.
    """

def call(arguments: SupportsGetItem[int, str], input: str) -> tuple[str, list[str]]:
    """
    Runs a command of the command line, with `input` in place of stdin; what it prints, and its
    warnings.
    """

def main(arguments: SupportsGetItem[int, str]) -> int:
    """
    Runs the command line of this process; its exit code.
    """

def read(path: str | PathLike[str]) -> Saved:
    """
    Reads a file of samples, `.parquet` or `.npz`.
    """

def restored(problem: Problem, options: Sampling, seed: SupportsIndex, arrays: tuple[Any, Any, Any, Any, Incomplete, Incomplete, Any, Incomplete], report: str) -> Samples:
    """
    The samples of a run that took place before, perhaps elsewhere: of `problem` with `options`
    under `seed`, from their arrays and the JSON of the run's report.
    """

def sample(problem: Problem, options: Sampling, samples: SupportsIndex, seed: SupportsIndex) -> Samples:
    """
    Samples a problem. `options` hold the law, the device and the precision.
    """

def sample_batch(mass: Incomplete, normal: Incomplete, tangent: Incomplete, friction: Incomplete, velocity: Incomplete, restitution: Incomplete | None, active: Incomplete | None, options: Sampling, samples: SupportsIndex, seeds: Incomplete) -> tuple[Any, Any, Any, Any, Incomplete, Incomplete, Any, Incomplete, str, float, list[str]]:
    """
    The first `samples` samples of each of B states, each with a seed; see `carom.sample_batch`.
    """

def seeds_of_states(seed: SupportsIndex, count: SupportsIndex) -> Incomplete:
    """
    The seeds of states `0 .. count` under one seed; see `carom_core::rng::seed_of_state`.
    """

def unfinished(terminated: SupportsIndex, samples: SupportsIndex) -> str | None:
    """
    The warning about samples of which `terminated` have ended, if so many have not.
    """
