"""Writes the files of this folder with h5py: the problem of `tests/cli/import.rs` in the layout of FCLib. Usage: write.py FOLDER"""

import sys

import h5py
import numpy as np

W = np.array([
    [0.5, 0.0, 0.0, 0.0, 0.0, 0.5],
    [0.0, 1.75, 0.0, 0.5, 0.0, -1.25],
    [0.0, 0.0, 1.75, 0.0, 0.5, 0.0],
    [0.0, 0.5, 0.0, 0.5, 0.0, 0.0],
    [0.0, 0.0, 0.5, 0.0, 1.75, 0.0],
    [0.5, -1.25, 0.0, 0.0, 0.0, 1.75],
])
Q = np.array([-2.0, -1.0, 0.5, -1.0, 0.5, -2.0])
MU = np.array([0.3, 0.6])


def lists(nz):
    """The lists p, i, x of W: by entries, by columns (-1) or by rows (-2)."""
    places = [(row, column) for column in range(6) for row in range(6) if W[row, column] != 0.0]
    if nz == -2:
        places = sorted(places)
    x = [W[place] for place in places]
    if nz >= 0:
        return [column for _, column in places], [row for row, _ in places], x
    line, other = (0, 1) if nz == -2 else (1, 0)
    ends = [sum(place[line] < k for place in places) for k in range(7)]
    return ends, [place[other] for place in places], x


def write(name, nz, group="fclib_local", libver="earliest", compact=False, **keys):
    with h5py.File(f"{sys.argv[1]}/{name}.hdf5", "w", libver=libver) as file:
        def put(path, numbers, kind):
            numbers = np.asarray(numbers, dtype=kind)
            if compact:
                folder, _, last = path.rpartition("/")
                layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                layout.set_layout(h5py.h5d.COMPACT)
                space = h5py.h5s.create_simple(numbers.shape)
                kind = h5py.h5t.py_create(numbers.dtype)
                data = h5py.h5d.create(file.require_group(folder).id, last.encode(), kind, space, layout)
                data.write(h5py.h5s.ALL, h5py.h5s.ALL, numbers)
            else:
                file.create_dataset(path, data=numbers, **(keys if numbers.size > 1 else {}))

        p, i, x = lists(nz)
        put(f"{group}/spacedim", [3], "i4")
        for side in "m", "n":
            put(f"{group}/W/{side}", [6], "i4")
        put(f"{group}/W/nz", [len(x) if nz >= 0 else nz], "i4")
        put(f"{group}/W/nzmax", [len(x)], "i4")
        put(f"{group}/W/p", p, "i4")
        put(f"{group}/W/i", i, "i4")
        put(f"{group}/W/x", x, "f8")
        put(f"{group}/vectors/q", Q, "f8")
        put(f"{group}/vectors/mu", MU, "f8")


write("entries", 0)
write("columns_gzip", -1, libver="latest", chunks=(2,), compression="gzip", shuffle=True)
write("rows_compact", -2, libver="latest", compact=True)
write("global", 0, group="fclib_global", libver="latest", compact=True)
