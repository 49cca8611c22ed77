"""Every operator under `vmap`, and under `vmap` of `grad`, compared with a Python loop over the examples."""

import ml_dtypes
import numpy as np
import pytest
import torch

import torchlike
from tests.ops.row import JUDGED, SAMPLES, function
from tests.ops.sample import Fails
from tests.oracle import to_theirs

pytestmark = pytest.mark.filterwarnings("ignore")

# Operators that `vmap` refuses because they read elements. The results of the examples would be different Python values
# or have different shapes.
REFUSED = frozenset(
    {
        "allclose",
        "argwhere",
        "bincount",
        "equal",
        "histogram",
        "is_nonzero",
        "masked_select",
        "nn.functional.one_hot",
        "nonzero",
        "unique",
        "unique_consecutive",
    }
)


def first_sample(key):
    """Return a sample call with a floating-point tensor argument, or else the first sample call."""
    calls = [s for s in SAMPLES[key] if not isinstance(s, Fails)]
    floating = [s for s in calls if any(map(_is_floating, _leaves([s.args, s.kwargs])))]
    return (floating or calls or [None])[0]


def _is_floating(x):
    return isinstance(x, np.ndarray) and x.dtype == np.float32 and x.size > 0


def _leaves(x):
    if isinstance(x, list | tuple):
        return [leaf for each in x for leaf in _leaves(each)]
    if isinstance(x, dict):
        return [leaf for each in x.values() for leaf in _leaves(each)]
    return [x]


def _filled(x, arrays):
    """Replace arrays with tensors and dtypes with the library's dtypes, keeping the containers."""
    if isinstance(x, list | tuple):
        return type(x)(_filled(each, arrays) for each in x)
    if isinstance(x, dict):
        return {name: _filled(each, arrays) for name, each in x.items()}
    if isinstance(x, np.ndarray):
        return next(arrays)
    if isinstance(x, type) and (issubclass(x, np.generic) or x is ml_dtypes.bfloat16):
        return getattr(torchlike, np.dtype(x).name.replace("bool", "bool_"), None) or torchlike.bool
    return x


def _examples(x):
    """Stack an operand with a second example: 0.75 times the operand, or an equal one for integers and bools."""
    one = (
        torchlike.from_numpy(np.array(x))
        if x.dtype != ml_dtypes.bfloat16
        else torchlike.tensor(x.astype(np.float32)).bfloat16()
    )
    return torchlike.stack([one, one * 0.75 if one.is_floating_point() or one.is_complex() else one])


def _tensors(found):
    return [x for x in _leaves(found) if isinstance(x, torchlike.Tensor)]


def _weighed(tensors):
    """Return a scalar that depends on every element."""
    total = torchlike.zeros(())
    for t in tensors:
        if t.is_complex():
            t = torchlike.view_as_real(t.resolve_conj())
        if t.is_floating_point() and t.requires_grad:
            total = total + (t * torchlike.linspace(0.5, 1.5, t.numel()).reshape(t.shape)).sum().float()
    return total


def _same(ours, loop):
    assert len(ours) == len(loop)
    for a, b in zip(ours, loop):
        assert a.shape == b.shape and a.dtype is b.dtype
        torch.testing.assert_close(to_theirs(a), to_theirs(b), rtol=1e-4, atol=1e-5, equal_nan=True)


def _takes_tensors(key):
    sample = first_sample(key)
    return sample is not None and any(isinstance(x, np.ndarray) for x in _leaves([sample.args, sample.kwargs]))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("key", [key for key in JUDGED if _takes_tensors(key)])
def test_as_in_a_loop(key):
    sample, f = first_sample(key), function(torchlike, key)
    wholes = [_examples(x) for x in _leaves([sample.args, sample.kwargs]) if isinstance(x, np.ndarray)]
    wanted = tuple(i for i, w in enumerate(wholes) if w.dtype is torchlike.float32 and w.numel())

    def call(*arrays):
        args, kwargs = _filled([sample.args, sample.kwargs], iter(arrays))
        return tuple(_tensors(f(*args, **kwargs)))

    def slope(*arrays):
        return torchlike.func.grad(lambda *chosen: _weighed(call(*_with(arrays, chosen))), tuple(range(len(wanted))))(
            *[arrays[i] for i in wanted]
        )

    def _with(arrays, chosen):
        given = dict(zip(wanted, chosen))
        return [given.get(i, x) for i, x in enumerate(arrays)]

    each = list(zip(*[[x.clone() for x in w.unbind(0)] for w in wholes]))
    if key in REFUSED:
        with pytest.raises((RuntimeError, NotImplementedError), match="vmap"):
            torchlike.vmap(call)(*wholes)
        return
    _same(torchlike.vmap(call)(*wholes), [torchlike.stack(column) for column in zip(*[call(*x) for x in each])])
    if wanted and sample.gradient:
        loop = [slope(*x) for x in each]
        _same(torchlike.vmap(slope)(*wholes), [torchlike.stack(column) for column in zip(*loop)])
