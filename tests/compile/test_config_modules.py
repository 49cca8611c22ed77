"""The modules of options `torch._dynamo.config` and `torch._inductor.config`, compared with PyTorch's."""

import importlib

import pytest
import torch._inductor.config

import torchlike
from torchlike import _dynamo, _inductor

NAMES = ("_dynamo.config", "_inductor.config")
SAME = [(name, option) for name in NAMES for option in importlib.import_module(f"torchlike.{name}").get_config_copy()]
PER_MACHINE = {"compile_threads"}


def of(L, name):
    return importlib.import_module(f"{L.__name__}.{name}")


@pytest.mark.parametrize("name, option", [each for each in SAME if each[1] not in PER_MACHINE])
def test_options_and_defaults(name, option):
    due, got = (of(L, name)._config for L in (torch, torchlike))
    assert option in due and got[option] == due[option].default


def programs(L):
    dynamo, inductor, found = of(L, NAMES[0]), of(L, NAMES[1]), []

    def note(work, *args):
        try:
            found.append(work(*args))
        except Exception as error:
            found.append((type(error), str(error)))

    for module in (dynamo, inductor, inductor.triton):
        note(setattr, module, "foo", 1)
        note(getattr, module, "foo")
    note(dynamo.patch("foo", 1).__enter__)
    with dynamo.patch(verbose=True, recompile_limit=3):
        found.append((dynamo.verbose, dynamo.recompile_limit, dynamo.cache_size_limit))
    with dynamo.patch("cache_size_limit", 4), dynamo.patch({"verbose": True}):
        found.append((dynamo.verbose, dynamo.recompile_limit))
    dynamo.cache_size_limit = 5
    found.append((dynamo.verbose, dynamo.recompile_limit))
    dynamo.load_config({"cache_size_limit": 8})

    @inductor.patch({"triton.cudagraphs": True})
    def patched():
        return inductor.triton.cudagraphs, inductor.get_config_copy()["triton.cudagraphs"]

    found += [patched(), inductor.triton.cudagraphs, patched()]
    inductor.triton.cudagraphs = True
    found.append(getattr(inductor, "triton.cudagraphs"))
    inductor.triton.cudagraphs = False
    return found


def test_config_programs_equal_pytorchs():
    assert programs(torchlike) == programs(torch)


def test_unsupported_options_raise():
    with pytest.raises(NotImplementedError, match="set_stance"):
        _dynamo.config.error_on_recompile = True
    _dynamo.config.error_on_recompile = False
    with pytest.raises(NotImplementedError, match="pickled"):
        _inductor.config.load_config(b"")
