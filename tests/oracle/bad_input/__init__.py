"""Programs for which PyTorch raises or warns. torchlike must give the same type and message.

Each module covers one topic. Its programs are the entries of the dict ROWS, by name, and its public functions, by
function name. Each program takes the library as its argument. A program reads its result only if the error depends on
values, because the error must come from the line that causes it.
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
    """Return the programs of a topic by name."""
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
