"""Directories of data sets in object stores and on other file systems, through fsspec."""

from __future__ import annotations

import importlib
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from urllib.request import url2pathname

from carom.errors import Error, UsageError

PathLike: TypeAlias = str | os.PathLike[str]

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+(://|::)")
"""The beginning of a URL; a drive of Windows has one letter."""

MAGIC = b"PAR1"
"""The end of a whole Parquet file."""

TAIL = 1 << 16
"""Bytes at the end of a file that are fetched at first."""

AT_ONCE = 16
"""Files whose ends are fetched at a time."""


def place_of(directory: PathLike) -> Path | Store:
    """A directory of this machine, or one behind a URL; ``file://`` is one of this machine."""
    text = os.fspath(directory)
    if not URL.match(text):
        return Path(directory)
    if text.startswith(("file://", "local://")):
        return Path(url2pathname(urlsplit(text).path))
    return Store(text)


class Store:
    """A directory behind a URL such as ``s3://bucket/set``.

    Files are made in a temporary directory of this machine and stored when they are whole.

    Raises:
        UsageError: fsspec or what it needs for the URL is not installed; an unknown kind of URL.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        try:
            fsspec = importlib.import_module("fsspec")
        except ModuleNotFoundError:
            raise UsageError("fsspec is not installed", url, "pip install 'carom[fsspec]'") from None
        try:
            self._fs, self._root = fsspec.core.url_to_fs(self.url)
        except (ImportError, ValueError) as error:
            raise UsageError(f"this URL cannot be opened: {error}", url, "fsspec.available_protocols() lists what can") from None

    def at(self, name: str) -> str:
        """The URL of a file."""
        return f"{self.url}/{name}"

    @contextmanager
    def mirror(self) -> Iterator[Path]:
        """A temporary directory that stands for the store; errors name the store instead."""
        with tempfile.TemporaryDirectory(prefix="carom-") as name:
            try:
                yield Path(name)
            except Error as error:
                what, at, hint = (_renamed(text, name, self.url) for text in (error.args[0], error.at, error.hint))
                raise type(error)(what, at, hint) from None

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        self._fs.invalidate_cache()
        return bool(self._fs.exists(self._path(name)))

    def get(self, name: str, mirror: Path) -> bool:
        """Fetches a file, if there is one; whether there is."""
        there = self.has(name)
        if there:
            (mirror / name).write_bytes(self._fs.cat_file(self._path(name)))
        return there

    def put(self, name: str, mirror: Path) -> None:
        """Stores a file."""
        path = self._path(name)
        self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        self._fs.put_file(os.fspath(mirror / name), path)

    def ends(self, names: Sequence[str], mirror: Path) -> list[bool]:
        """Fetches the ends of those Parquet files that are there, which say what is in them;
        which are there. A file whose upload broke off has no end."""
        self._fs.invalidate_cache()
        folders = {name.rpartition("/")[0] for name in names}
        known: set[str] = set()
        for folder in folders:
            (mirror / folder).mkdir(parents=True, exist_ok=True)
            if self._fs.isdir(self._path(folder)):
                found = self._fs.ls(self._path(folder), detail=False)
                known |= {f"{folder}/{str(path).rstrip('/').rpartition('/')[2]}" for path in found}

        def fetch(name: str) -> bool:
            end = self._end(self._path(name)) if name in known else None
            if end is not None:
                (mirror / name).write_bytes(end)
            return end is not None

        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(fetch, names))

    def _end(self, path: str) -> bytes | None:
        size = self._fs.size(path)
        end: bytes = self._fs.cat_file(path, start=max(0, size - TAIL))
        if size < 12 or end[-4:] != MAGIC:
            return None
        # The last eight bytes are the length of the metadata before them, and the mark.
        length = int.from_bytes(end[-8:-4], "little") + 8
        return end if length <= len(end) else self._fs.cat_file(path, start=max(0, size - length))

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"


def _renamed(text: str | None, mirror: str, url: str) -> Any:
    return None if text is None else text.replace(mirror, url)
