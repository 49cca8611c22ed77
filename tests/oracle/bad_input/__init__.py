"""Programs that PyTorch refuses or warns of, as data. torchlike must answer each with the same type and sentence.

A module holds one topic. Its rows are the dict ROWS, from a name to a small program, and its public functions, which
are named by their names; each takes the library to run in. Nothing looks at a result unless the value itself is what is
wrong: the error has to come from the line that made it.
"""

from collections.abc import Callable
from types import ModuleType

from tests.oracle.bad_input import (
    arithmetic,
    autograd,
    counting,
    devices,
    dtypes,
    functions,
    hooks,
    indexing,
    inference,
    memory,
    modules,
    tools,
    training,
    warned,
    written,
)


def rows_of(module: ModuleType) -> dict[str, Callable]:
    """The rows of a topic by name."""
    written = {
        name.replace("_", " "): program
        for name, program in vars(module).items()
        if getattr(program, "__module__", None) == module.__name__ and not name.startswith("_")
    }
    assert not written.keys() & module.ROWS.keys()
    return {**module.ROWS, **written}


REFUSED = {
    module.__name__.rpartition(".")[2]: rows_of(module)
    for module in (
        arithmetic,
        autograd,
        counting,
        devices,
        dtypes,
        functions,
        hooks,
        indexing,
        inference,
        memory,
        modules,
        tools,
        training,
        written,
    )
}
WARNED = rows_of(warned)
