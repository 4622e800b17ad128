#!/usr/bin/env python3
"""The ledger of behaviour: a hash of what each of many commands answers.

    python3 scripts/ledger.py [--binary target/release/carom] [--vulkan] check|write [FILTER]

`write` runs the commands of scripts/ledger_commands.py and writes a line for each into
tests/golden/ledger/cpu.txt, or with --vulkan, on Mesa's software adapter, into vulkan.txt. `check`
runs them, names each whose answer differs, and exits with 1 if one does. An answer is the exit
code, stdout, stderr and every file that was written, without seconds, versions and names of
devices.
FILTER takes the commands that contain it. --keep DIR keeps the answers as text, so that
`diff -r` shows how those of two programs differ.
"""

import argparse
import concurrent.futures
import glob
import hashlib
import io
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import ledger_commands

ROOT = Path(__file__).parents[1]
LEDGER = ROOT / "tests/golden/ledger"

#: What commands read: the name beside them, and the place in the repository.
READ = {
    "examples": "examples",
    "fclib": "tests/golden/fclib",
    "feet": "tests/golden/feet",
    "models": "tests/golden/models",
    "motions": "scenes/motions",
    "scenes": "scenes",
    "wrong": "tests/golden/ledger/files/wrong",
}
FILES = "tests/golden/ledger/files"

#: Seconds after which a command counts as hanging.
TIMEOUT = 240

NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
#: What differs from run to run or from machine to machine, and what stands in its place.
VARIES = [
    (rf'("(?:seconds|steps_per_second|ratio_of_seconds)":\s*){NUMBER}', r"\g<1>0"),
    (r'("seconds":\s*)\{[^{}]*\}', r"\1{}"),
    (r'("version":\s*)"[^"]*"', r'\1""'),
    (r"fnv1a128:[0-9a-f]{32}", "fnv1a128:"),
    (r'("device":\s*\{\s*"kind":\s*"\w+",\s*"name":\s*)"[^"]*"', r'\1""'),
    (r"llvmpipe \([^()]*\)", "llvmpipe"),
    (r"(?m)^(device +)\S.* \((\w+, \w+)\)(.*); \d+ threads?$", r"\1(\2)\3"),
    (r"(?m)^(samples .*) in [\d.]+ s \([\d.]+ s in kernels\)$", r"\1"),
    (r"[\d.]+ ms to prepare, [\d.]+ ms to sample and check: \S+ samples/s", "times"),
    (r"(?m)^( +on )\S.* \((.*); \d+ threads?\)(, f\d\d): .*$", r"\1(\2)\3"),
    (r"(?m)^(took +)\S+ s, \S+ samples/s$", r"\1"),
    (r"(?m)^(\d+ evaluations) in [\d.]+ s$", r"\1"),
    (r"(?m)^(computed +)[\d.]+ ms ", r"\1"),
    (r'(?m)^(version = )"[^"]*"$', r'\1""'),
    (r"v\d+\.\d+\.\d+ \([0-9a-f]+\)", "vVERSION"),
    (r"carom \d+\.\d+\.\d+(?: \([0-9a-f]+\))?", "carom VERSION"),
]


def lasting(text: str) -> str:
    """A text without what differs from run to run."""
    for pattern, instead in VARIES:
        text = re.sub(pattern, instead, text)
    return text


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def array(data: bytes) -> str:
    """An array of NumPy as text, row by row."""
    length = struct.unpack_from("<H", data, 8)[0]
    heading = data[10 : 10 + length].decode("latin-1").strip()
    body = data[10 + length :]
    kind = re.search(r"'descr': '([<>|])(\w\d+)'", heading)
    shape = re.search(r"'shape': \(([\d, ]*)\)", heading)
    codes = {"f8": "d", "f4": "f", "u8": "Q", "u4": "I", "i8": "q", "u1": "B", "b1": "?"}
    if kind is None or shape is None or kind[2] not in codes:
        return f"{heading}\n{len(body)} bytes {digest(body)}\n"
    counts = [int(count) for count in shape[1].split(",") if count.strip()]
    width = 1
    for count in counts[1:]:
        width *= count
    if kind[2] == "u1" and len(counts) == 1 and body[:1] == b"{":
        return f"{lasting(body.decode())}\n"
    code = ("<" if kind[1] == "|" else kind[1]) + codes[kind[2]] * width
    rows = struct.iter_unpack(code, body) if width else []
    return heading + "\n" + "".join(" ".join(map(repr, row)) + "\n" for row in rows)


def archive(data: bytes) -> str:
    """A file of arrays: its members in their order."""
    text = ""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        text += f"comment {lasting(file.comment.decode('latin-1'))}\n"
        for member in file.infolist():
            content = file.read(member)
            shown = array(content) if member.filename.endswith(".npy") else repr(content)
            text += f"-- {member.filename}, method {member.compress_type}\n{shown}"
    return text


def table(data: bytes) -> str:
    """A Parquet file: the hash of its pages and the footer, of which texts are without lengths."""
    length = struct.unpack_from("<I", data, len(data) - 8)[0]
    pages, footer = data[: -8 - length], data[-8 - length : -8]
    shown, at = "", 0
    # The metadata are JSON, after their length.
    for found in re.finditer(rb'\x18([\x80-\xff]*[\x00-\x7f])(?={")', footer):
        size = 0
        for i, byte in enumerate(found[1]):
            size |= (byte & 127) << (7 * i)
        end = found.end() + size
        if found.start() < at or footer[end - 1 : end] != b"}":
            continue
        shown += printable(footer[at : found.start()]) + "\n"
        shown += lasting(footer[found.end() : end].decode()) + "\n"
        at = end
    shown += printable(footer[at:])
    return f"pages {len(pages)} bytes {digest(pages)}\n{lasting(shown)}\n"


def printable(data: bytes) -> str:
    return data.decode("latin-1").encode("unicode_escape").decode()


def image(data: bytes) -> str:
    """A PNG file, chunk by chunk."""
    text, at = "", 8
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + length]
        shown = lasting(printable(body)) if kind in (b"tEXt", b"iTXt") else digest(body)
        text += f"{kind.decode()} {length} {shown}\n"
        at += length + 12
    return text


def content(data: bytes, folder: str) -> str:
    """What is in a file, as text."""
    if data[:4] == b"PK\x03\x04":
        return archive(data)
    if data[:4] == b"PAR1":
        return table(data)
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return image(data)
    if data[:5] == b"%PDF-":
        # Resources of a page are written in an order by chance.
        return "".join(f"{printable(line)}\n" for line in sorted(data.split(b"\n")))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return f"{len(data)} bytes {digest(data)}\n"
    return lasting(text.replace(folder, "FOLDER"))


def save(path: Path, arrays: dict[str, tuple[tuple[int, ...], str, list[float]]]) -> None:
    """Writes arrays as NumPy does."""
    with zipfile.ZipFile(path, "w") as file:
        for name, (shape, code, numbers) in arrays.items():
            of = {"d": "<f8", "?": "|b1"}[code]
            heading = f"{{'descr': '{of}', 'fortran_order': False, 'shape': {shape}, }}"
            heading += " " * (-(11 + len(heading)) % 64) + "\n"
            start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(heading)) + heading.encode()
            body = struct.pack(f"<{len(numbers)}{code}", *numbers)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), start + body)


def prepare(base: Path) -> None:
    """Puts what commands read into a folder."""
    for file in (ROOT / FILES).iterdir():
        if file.is_file():
            shutil.copy(file, base)
    for name, place in READ.items():
        shutil.copytree(ROOT / place, base / name)
    for name, arrays in ledger_commands.ARRAYS.items():
        save(base / name, arrays)


class Runner:
    """Runs commands, each in a folder of its own."""

    def __init__(self, binary: Path, base: Path, shaders: Path, vulkan: bool) -> None:
        self.binary, self.base = binary, base
        keep = ("PATH", "RAYON_NUM_THREADS", "LD_LIBRARY_PATH")
        self.env = {name: os.environ[name] for name in keep if name in os.environ}
        drivers = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json") if vulkan else ["/dev/null"]
        if not drivers:
            sys.exit("no software Vulkan: install mesa-vulkan-drivers")
        self.env |= {
            "LC_ALL": "C.UTF-8",
            "NODEVICE_SELECT": "1",
            "VK_DRIVER_FILES": drivers[0],
            "VK_ICD_FILENAMES": drivers[0],
            "MESA_SHADER_CACHE_DIR": str(shaders),
        }

    def answer(self, line: str) -> str:
        """What the commands of a line answer, which run one after the other."""
        with tempfile.TemporaryDirectory(prefix="ledger-") as folder:
            for read in self.base.iterdir():
                os.symlink(read, Path(folder, read.name))
            text = "".join(self.one(part, folder) for part in line.split(" ; "))
            files = []
            for parent, _, names in os.walk(folder):
                files += [Path(parent, name) for name in names]
            for file in sorted(files):
                if not file.is_symlink():
                    name = file.relative_to(folder)
                    text += f"== {name}\n{content(file.read_bytes(), folder)}\n"
        return text.replace(str(self.base), "FOLDER")

    def one(self, command: str, folder: str) -> str:
        words = shlex.split(command)
        source, target = None, None
        if len(words) > 2 and words[-2] == ">":
            words, target = words[:-2], words[-1]
        if len(words) > 2 and words[-2] == "<":
            words, source = words[:-2], words[-1]
        given = Path(folder, source).read_bytes() if source else b""
        environment = self.env | {"HOME": folder, "XDG_RUNTIME_DIR": folder}
        done = subprocess.run(
            [self.binary, *words[1:]],
            cwd=folder,
            env=environment,
            input=given,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        said = content(done.stderr, folder)
        # How long a run takes is no behaviour.
        said = re.sub(r"(?m)^(\d+ % after \d+ s.*|.* takes longer than \d+ s)\n", "", said)
        if target:
            Path(folder, target).write_bytes(done.stdout)
            answer = ""
        else:
            answer = content(done.stdout, folder)
        return f"$ {command}\nexit {done.returncode}\n{answer}\n-- stderr\n{said}\n"


def entries(path: Path) -> dict[str, str]:
    """The hashes in a ledger, by command."""
    lines = path.read_text().splitlines() if path.exists() else []
    pairs = [line.split("  ", 1) for line in lines]
    return {command: known for known, command in pairs}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["check", "write"])
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/carom")
    parser.add_argument("--vulkan", action="store_true", help="on a software adapter")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the answers as text")
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time [2]")
    parser.add_argument("--slow", type=int, default=0, help="name so many of the slowest")
    args = parser.parse_args()
    path = LEDGER / ("vulkan.txt" if args.vulkan else "cpu.txt")
    every = ledger_commands.vulkan() if args.vulkan else ledger_commands.cpu()
    twice = {command for command in every if every.count(command) > 1}
    if twice:
        sys.exit(f"listed twice: {', '.join(sorted(twice))}")
    commands = [command for command in every if args.filter in command]
    known = entries(path)
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    found: dict[str, str] = {}
    took: dict[str, float] = {}
    different: list[str] = []

    with tempfile.TemporaryDirectory(prefix="ledger-files-") as folder:
        # Each kernel is compiled once in a run, and anew in the next one.
        base, shaders = Path(folder, "base"), Path(folder, "shaders")
        base.mkdir()
        prepare(base)
        # Whatever its file is called: usage lines show the name.
        binary = Path(folder, "carom")
        binary.symlink_to(args.binary.resolve())
        runner = Runner(binary, base, shaders, args.vulkan)

        def run(command: str) -> None:
            began = time.monotonic()
            text = runner.answer(command)
            took[command] = time.monotonic() - began
            found[command] = digest(text.encode())
            if args.keep:
                name = re.sub(r"[^\w.=-]+", "_", command)[:150]
                Path(args.keep, f"{name}.{digest(command.encode())[:6]}.txt").write_text(text)

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            running = {pool.submit(run, command): command for command in commands}
            for count, done in enumerate(concurrent.futures.as_completed(running), 1):
                command = running[done]
                if done.exception() is not None:
                    print(f"failed     {command}: {done.exception()}", file=sys.stderr)
                    different.append(command)
                elif args.what == "check" and known.get(command) != found[command]:
                    said = "different" if command in known else "not listed"
                    print(f"{said:10} {command}", flush=True)
                    different.append(command)
                if count % 100 == 0 or count == len(commands):
                    seconds = time.monotonic() - start
                    print(f"{count} of {len(commands)}, {seconds:.0f} s", file=sys.stderr)
    for command in sorted(took, key=took.__getitem__, reverse=True)[: args.slow]:
        print(f"{took[command]:6.1f} s  {command}", file=sys.stderr)
    if args.what == "check":
        for command in known:
            if args.filter in command and command not in found:
                print(f"not run    {command}")
                different.append(command)
        same = len(commands) - len(different)
        print(f"{same} of {len(commands)} as in {path.relative_to(ROOT)}", file=sys.stderr)
        return 1 if different else 0
    if different:
        return 1
    merged = {command: found.get(command, known.get(command)) for command in every}
    lines = [f"{hash}  {command}\n" for command, hash in merged.items() if hash]
    path.write_text("".join(lines))
    print(f"{len(lines)} lines in {path.relative_to(ROOT)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
