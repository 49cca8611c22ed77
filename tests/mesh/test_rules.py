"""The flag, the rules for parameters, and their errors."""

from types import SimpleNamespace

import numpy as np
import pytest

import torchlike
from torchlike import nn
from torchlike.__main__ import main
from torchlike._engine.xla.mesh import active, parse
from torchlike._mesh.spreading import spec_of


def spec(shape, rules=None, name="fc.weight", rows_only=False, **axes):
    mesh = SimpleNamespace(axes=axes)
    return spec_of(name, shape, mesh, rules or {}, rows_only)  # type: ignore[arg-type]


def test_the_default_shards_the_largest_dimension_of_large_parameters():
    assert spec((128, 64), data=8) == (None, None)
    assert spec((128, 64), model=2) == ("model", None)
    assert spec((64, 64), model=2) == (None, "model")
    assert spec((127, 64), model=2) == (None, "model")
    assert spec((127, 63), model=2) == (None, None)
    assert spec((64,), model=2) == (None,)
    assert spec((128, 64), fsdp=4, model=2) == ("fsdp", "model")
    assert spec((64, 128), fsdp=4, rows_only=True) == ("fsdp",)


def test_the_first_rule_that_matches_decides():
    rules = {"*.bias": None, "fc.*": (None, ("data", "model")), "*": "data"}
    assert spec((64, 64), rules, "fc.bias", data=4, model=2) == ()
    assert spec((64, 64), rules, "fc.weight", data=4, model=2) == (None, ("data", "model"))
    assert spec((4, 3), rules, "head.weight", data=4, model=2) == ("data", None)


def test_a_rule_must_fit_the_parameter():
    with pytest.raises(
        ValueError, match=r"splits dimension 1 of the parameter 'fc.weight' into 8 parts, .* size is 12"
    ):
        spec((64, 12), {"*": (None, ("data", "model"))}, data=4, model=2)
    with pytest.raises(ValueError, match=r"has 2 dimensions, and the parameter 'fc.weight' has 1"):
        spec((64,), {"*": ("data", None)}, data=4)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("data", "'data' is not an axis and a size"),
        ("data=", "the size of the mesh axis 'data' must be a positive number, not ''"),
        ("data=0", "the size of the mesh axis 'data' must be a positive number, not '0'"),
        ("data=2,,", "'' is not an axis and a size"),
        ("data=2,data=2", "the mesh axis 'data' is given twice"),
        ("=8", "'=8' is not an axis and a size"),
    ],
)
def test_a_mesh_must_be_written_correctly(text, error):
    with pytest.raises(ValueError, match=error):
        parse(text)


def test_a_mesh_is_written_as_axes_and_sizes():
    assert parse("data=8") == {"data": 8}
    assert parse(" data = 4, model=2") == {"data": 4, "model": 2}


def test_every_axis_must_be_used():
    model = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="the mesh rows=2 has an axis 'rows' that no rule uses"):
        torchlike.distribute(model, "rows=2")
    with pytest.raises(ValueError, match="a rule uses the axis 'rows', which the mesh data=2 does not have"):
        torchlike.distribute(model, {"data": 2}, {"*": ("rows",)})
    with pytest.raises(ValueError, match="a mesh needs at least one axis"):
        torchlike.distribute(model, {})


def test_the_number_of_devices_must_match():
    torchlike.ones(2).sum().item()
    np.asarray(torchlike.jax.to_jax(torchlike.ones(2)))  # JAX has started, so the number of its devices is fixed
    with pytest.raises(RuntimeError, match=r"the mesh data=77 needs 77 devices, and this process has \d+ cpu device"):
        torchlike.distribute(nn.Linear(2, 2), "data=77")
    assert active.mesh is None


def test_errors_of_the_flag_are_usage_errors(capsys):
    for flags, error in (
        (("--mesh",), "--mesh requires axes, such as data=8"),
        (("--mesh", "data=x", "a.py"), "the size of the mesh axis 'data' must be a positive number, not 'x'"),
        (("--mesh=rows=2", "a.py"), "--mesh rows=2 has an axis 'rows' that no rule uses"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main([*flags])
        assert stopped.value.code == 2
        assert error in capsys.readouterr().err
