"""Private names of `nn` that other projects import."""

import importlib
import importlib.util
import pkgutil

import pytest
import torch

import torchlike
from tests.oracle import both

MODULES = [f"nn.modules.{each.name}" for each in pkgutil.iter_modules(torchlike.nn.modules.__path__)]
MODULES = [name for name in MODULES if "._" not in name and importlib.util.find_spec(f"torch.{name}")]
PROGRAMS = {
    "_EXTRA_STATE_KEY_SUFFIX": lambda nn: nn.modules.module._EXTRA_STATE_KEY_SUFFIX,
    "_reverse_repeat_tuple": lambda nn: nn.modules.utils._reverse_repeat_tuple((1, 2, 3), 2),
    "_pair": lambda nn: (nn.modules.conv._pair(1), nn.modules.padding._quadruple(1), nn.modules.pooling._triple(1)),
    "_generate_square_subsequent_mask": lambda nn: nn.modules.transformer._generate_square_subsequent_mask(sz=3),
    "_detect_is_causal_mask": lambda nn: causal(nn),
    "_get_seq_len": lambda nn: sequence_lengths(nn),
    "_get_clones": lambda nn: len(nn.modules.transformer._get_clones(nn.Linear(1, 1), N=2)),
    "_reduction": lambda nn: [nn._reduction.get_enum(name) for name in ("none", "mean", "sum")],
    "_reduction of another name": lambda nn: nn._reduction.get_enum("max"),
    "_reduction of the old arguments": lambda nn: [
        nn._reduction.legacy_get_enum(average, reduce, emit_warning=False)
        for average in (None, True, False)
        for reduce in (None, True, False)
    ],
    "_canonical_mask": lambda nn: canonical(nn, "bool"),
    "_canonical_mask of floats": lambda nn: canonical(nn, "float64", check_other=False),
    "_canonical_mask of ints": lambda nn: canonical(nn, "int64"),
    "_none_or_dtype": lambda nn: nn.functional._none_or_dtype(None),
    "_in_projection_packed": lambda nn: nn.functional._in_projection_packed(*[ones(nn, 2, 1, 4)] * 3, ones(nn, 12, 4)),
    "_get_softmax_dim": lambda nn: [nn.functional._get_softmax_dim("softmax", ndim, 3) for ndim in range(5)],
    "_no_grad_trunc_normal_": lambda nn: filled(nn, "trunc_normal", 0.0, 1.0, -2.0, 2.0),
    "_no_grad_uniform_": lambda nn: filled(nn, "uniform", -1.0, 2.0),
    "_no_grad_normal_": lambda nn: filled(nn, "normal", 1.0, 2.0),
    "_no_grad_fill_": lambda nn: filled(nn, "fill", 3.0),
    "_no_grad_zero_": lambda nn: filled(nn, "zero"),
    "_in_projection": lambda nn: nn.functional._in_projection(*[ones(nn, 2, 1, 4)] * 3, *[ones(nn, 4, 4)] * 3),
}


def filled(nn, name, *numbers):
    weight = nn.Linear(4, 3).weight
    result = getattr(nn.init, f"_no_grad_{name}_")(weight, *numbers)
    return result is weight, weight.requires_grad, weight.detach()


def ones(nn, *shape):
    return nn.init.ones_(nn.Parameter(nn.Linear(1, 1).weight.new_empty(shape))).detach()


def causal(nn):
    transformer = nn.modules.transformer
    mask = transformer._generate_square_subsequent_mask(3)
    return [transformer._detect_is_causal_mask(m, size=3) for m in (mask, mask.T, None)] + [
        transformer._detect_is_causal_mask(mask.T, is_causal=True)
    ]


def sequence_lengths(nn):
    given = [(ones(nn, 2, 3), True), (ones(nn, 2, 3, 1), True), (ones(nn, 2, 3, 1), False)]
    return [nn.modules.transformer._get_seq_len(src, batch_first) for src, batch_first in given]


def canonical(nn, dtype, **options):
    x = ones(nn, 2, 2)
    kind = {"bool": lambda: x.bool(), "float64": lambda: x.double(), "int64": lambda: x.long()}[dtype]()
    return nn.functional._canonical_mask(kind, "attn_mask", x.dtype, "key_padding_mask", x.dtype, **options)


@pytest.mark.parametrize("name", PROGRAMS)
def test_is_as_in_pytorch(name):
    both(lambda library: PROGRAMS[name](library.nn))


def test_the_old_arguments_of_losses_warn():
    both(lambda library: library.nn._reduction.legacy_get_string(False, None))


@pytest.mark.parametrize("name", ["nn.modules", *MODULES])
def test_all(name):
    theirs, ours = (importlib.import_module(f"{library.__name__}.{name}").__all__ for library in (torch, torchlike))
    assert theirs == ours
