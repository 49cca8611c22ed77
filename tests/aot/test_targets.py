"""The names of targets, and the messages about missing compilers."""

from importlib.util import find_spec

import jax
import pytest

from torchlike._engine.ahead import targets


@pytest.mark.parametrize(
    ("name", "type"),
    [("v5e", "tpu"), ("v4", "tpu"), ("v5e:2x4", "tpu"), ("v5p:2x2x1", "tpu"), ("h100:8", "cuda"), ("cpu", "cpu")],
)
def test_the_type_of_a_target(name, type):
    assert targets.type_of(name) == type


@pytest.mark.parametrize("name", ["", "v9", "v5e:8", "v5e:", "h100:0", "h100:2x4", "h100:", "cpu:0", "V5E", "v5e:0x4"])
def test_an_unknown_target(name):
    with pytest.raises(ValueError, match=r"unknown target .*; the targets are v4, v5e, .*h100:8"):
        targets.find(name)


@pytest.mark.parametrize(
    ("name", "install"),
    [("v5e", f'pip install "jax[tpu]=={jax.__version__}"'), ("h100", f'pip install "jax[cuda12]=={jax.__version__}"')],
)
def test_a_missing_compiler_is_named_with_its_install_command(name, install, monkeypatch):
    monkeypatch.setattr(targets, "find_spec", lambda name: None)
    targets.find.cache_clear()
    with pytest.raises(targets.Unavailable) as caught:
        targets.find(name)
    assert str(caught.value).endswith(install)


COMPILERS = {"tpu": "libtpu", "gpu": "jax_plugins"}


@pytest.mark.parametrize(
    ("name", "platform", "chips"),
    [("v5e", "tpu", 1), ("v5p", "tpu", 1), ("v5e:2x4", "tpu", 8), ("h100", "gpu", 1), ("h100:8", "gpu", 8)],
)
def test_the_chips_of_a_target(name, platform, chips):
    """Check the chips if the compiler is installed, and otherwise the message."""
    targets.find.cache_clear()
    if find_spec(COMPILERS[platform]) is None:
        with pytest.raises(targets.Unavailable, match=f"{name} needs the "):
            targets.find(name)
        return
    found = targets.find(name)
    assert (len(found.chips), found.platform, found.chips[0].platform) == (chips, platform, platform)
