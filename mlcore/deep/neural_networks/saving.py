"""Networks on disk: the parameters in one plain .npz file, written all at once, read with suspicion."""

import os
import struct
import zipfile
import zlib

import numpy as np

from mlcore.deep.neural_networks.modules import Module
from mlcore.foundations.data_and_tasks.files import whole_file
from mlcore.takes import takes

FORMAT = "mlcore network, version 1"


class NetworkFileError(ValueError):
    """A file that does not hold the parameters of this network."""


@takes(module=Module)
def save_network(module, path):
    """Write the parameters of ``module`` to ``path``, which changes all at once or not at all.

    The file is an uncompressed .npz of float arrays and two texts, the format and the structure: any numpy reads it, and
    nothing in it is ever executed.
    """
    state = module.state()
    with whole_file(path) as file:
        np.savez(file.buffer, format=FORMAT, structure=repr(module), **{f"parameter {name}": value for name, value in state.items()})


@takes(module=Module)
def load_network(module, path):
    """Read parameters that :func:`save_network` wrote into ``module``, a network of the same structure; returns it.

    A damaged, truncated or foreign file, or one of another structure, raises :class:`NetworkFileError` and leaves the
    module as it was.
    """
    name = os.path.basename(os.fspath(path))
    entries = _read(path, name)
    if str(entries.get("format")) != FORMAT:
        raise NetworkFileError(f"{name} is a foreign file: it was not written by save_network (no entry format = {FORMAT!r}).")
    if str(entries.get("structure")) != repr(module):
        raise NetworkFileError(f"{name} holds another network: {entries.get('structure')} in the file, {module!r} given.")
    state = {key.removeprefix("parameter "): value for key, value in entries.items() if key.startswith("parameter ")}
    for key, value in state.items():
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not np.isfinite(value).all():
            raise NetworkFileError(f"{name}: {key} does not hold finite floating-point numbers.")
    try:
        return module.load_state(state)
    except ValueError as error:
        raise NetworkFileError(f"{name}: {error}") from None


DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, ValueError, EOFError, KeyError, RuntimeError, OSError, MemoryError)


def _read(path, name):
    """All arrays of an .npz file; what cannot be read is damaged."""
    with open(path, "rb") as file:  # a missing file is no damaged one: its error passes
        try:
            with zipfile.ZipFile(file) as archive:
                broken = archive.testzip()  # numpy reads only as much as a header asks for, which may miss the checksum
            if broken:
                raise zipfile.BadZipFile(f"the checksum of {broken} is wrong")
            file.seek(0)
            with np.load(file, allow_pickle=False) as archive:
                return {key: archive[key] for key in archive.files}
        except DAMAGE as error:
            raise NetworkFileError(f"{name} is damaged, truncated or no .npz file: {error}.") from None
