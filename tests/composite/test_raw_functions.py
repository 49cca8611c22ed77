"""Functions of `torch` itself that few programs call directly: in-place variants, legacy names, typed storages."""

import importlib
import pkgutil
import warnings

import pytest
import torch

import torchlike
from tests.oracle import both
from tests.oracle.test_bad_input import comparable, heard, outcome
from torchlike._composite.inplace import IN_PLACE, QUERIES

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated", "ignore:at::")

# -- in place ----------------------------------------------------------------------------------------------------------

OTHERS = {
    "addmv_": lambda L, x: (L.eye(3, dtype=x.dtype), L.ones(3, dtype=x.dtype)),
    "as_strided_": lambda L, x: ((2,), (1,)),
    "clamp_": lambda L, x: (0, 1),
    "clip_": lambda L, x: (0, 1),
    "clamp_max_": lambda L, x: (1,),
    "clamp_min_": lambda L, x: (1,),
    "gcd_": lambda L, x: (L.tensor([4, 6, 9]),),
    "lcm_": lambda L, x: (L.tensor([4, 6, 9]),),
    "ldexp_": lambda L, x: (L.tensor([1, 2, 3]),),
    "xlogy_": lambda L, x: (L.ones(3, dtype=x.dtype),),
}
# Functions without a test of gradients. PyTorch has no derivatives of the in-place inverse hyperbolic functions and of
# `detach_`. `gcd_` and `lcm_` accept no floats.
NOT_DERIVED = {"acosh_", "arccosh_", "asinh_", "arcsinh_", "atanh_", "arctanh_", "gcd_", "lcm_", "detach_"}
OVERLOADED = {"clamp_", "clip_", "clamp_max_", "clamp_min_", "as_strided_", "addmv_", "xlogy_", "round_"}
INPUTS = ([0.25, 0.5, 0.75], "float32"), ([0.25, 0.5, 0.75], "float64"), ([1, 2, 3], "int64")


def make_input(L, place):
    values, dtype = place
    return L.tensor(values, dtype=getattr(L, dtype))


def changed(L, name, x, *others):
    made = getattr(L, name)(x, *others)
    return made is x, made, getattr(L, name).__name__


def derived(L, name, leaf, *others):
    getattr(L, name)(leaf * 1, *others).sum().backward()
    return leaf.grad


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_functions_and_their_gradients(name):
    others = OTHERS.get(name, lambda L, x: ())
    for place in INPUTS:
        if (name, place[1]) != ("ldexp_", "int64"):  # the error message differs
            both(lambda L, place=place: changed(L, name, make_input(L, place), *others(L, make_input(L, place))))
    if name not in NOT_DERIVED:
        both(
            lambda L: derived(L, name, make_input(L, INPUTS[1]).requires_grad_(), *others(L, make_input(L, INPUTS[1])))
        )


@pytest.mark.parametrize("name", [*IN_PLACE, *QUERIES])
def test_wrong_arguments_of_in_place_functions_and_queries(name):
    if name not in OVERLOADED:
        both(lambda L: getattr(L, name)())
        both(lambda L: getattr(L, name)(3, *OTHERS.get(name, lambda L, x: ())(L, L.ones(3))))
    if name in QUERIES or name in ("sin_", "relu_", "detach_"):
        both(lambda L: getattr(L, name)(L.ones(2), 3))
        both(lambda L: getattr(L, name)(L.ones(2), foo=3))
        both(lambda L: getattr(L, name)(input=L.ones(2)))


@pytest.mark.parametrize("dtype", ["float32", "uint8", "bool", "complex64", "int64"])
def test_queries(dtype):
    both(lambda L: [getattr(L, name)(L.ones(2, dtype=getattr(L, dtype))) for name in QUERIES])


RENORM_CASES = {
    "some": lambda L: (L.ones(3, 2), L.tensor([0, 1]), 1.0, 2.0),
    "again": lambda L: (L.ones(3, 2, dtype=L.float64), L.tensor([[0, 0]], dtype=L.int32), 0.5, 1),
    "one dim": lambda L: (L.ones(3), L.tensor([0]), 1.0, 2.0),
    "floats": lambda L: (L.ones(3, 2), L.tensor([0.0]), 1.0, 2.0),
    "too few": lambda L: (L.ones(3, 2), L.tensor([0]), 1.0),
    "text": lambda L: (L.ones(3, 2), L.tensor([0]), "1", 2.0),
}


@pytest.mark.parametrize("case", RENORM_CASES)
def test_embedding_renorm(case):
    both(lambda L: L.embedding_renorm_(*RENORM_CASES[case](L)))


# -- losses, pooling, embedding tables, images, convolutions, norms ----------------------------------------------------

X, T = [[-0.5, -1.25, -0.75], [-2.0, -0.25, -1.5]], [[0.25, 0.5, 0.25], [0.125, 0.75, 0.125]]
LINES = [[[1.0, 3.0, 2.0, 5.0, 4.0, 0.0], [2.0, 2.0, 7.0, 1.0, 6.0, 3.0]]]
TABLE = [[1.0, 5.0], [2.0, 4.0], [3.0, 3.0], [4.0, 2.0]]


def pair(name, *rest, **named):
    """Return a program that calls the loss `name` on two operands and the given arguments."""
    # The target does not require grad, because PyTorch has no gradient for targets that only select elements.
    return lambda L, make: getattr(L, name)(make(X), make(T).detach(), *rest, **named)


def lines(name, *rest, **named):
    return lambda L, make: getattr(L, name)(make(LINES), *rest, **named)


def squares(name, *rest, **named):
    return lambda L, make: getattr(L, name)(make([LINES[0], LINES[0]]), *rest, **named)


def bags(*rest):
    ends = [0, 2, 2, 5] if len(rest) > 4 and rest[4] else [0, 2, 2]
    return lambda L, make: L.embedding_bag(make(TABLE), L.tensor([0, 1, 1, 3, 2]), L.tensor(ends), *rest)


def sampled(*rest):
    def program(L, make):
        return L.grid_sampler(make([LINES]), make([[[[0.25, 0.5], [-0.75, 1.25], [-1.5, -0.25]]]]), *rest)

    return program


def convolved(*rest, bias=None, weight=None):
    def program(L, make):
        held = make(weight or [[[1.0, 2.0], [0.5, -1.0]], [[0.25, 1.0], [3.0, 2.0]]])
        return L.convolution(make(LINES), held, None if bias is None else make(bias), *rest)

    return program


def steps(*rest, weight=None, bias=(1.0, 2.0)):
    def program(L, make):
        held = make(weight or [[[1.0, 2.0], [0.5, -1.0]], [[0.25, 1.0], [3.0, 2.0]]])
        return L.conv_tbc(make([[[1.0, 2.0]], [[3.0, 5.0]], [[4.0, 0.5]]]), held, make(list(bias)), *rest)

    return program


PROGRAMS = {
    **{
        f"{name} {n}": pair(name, reduction=n)
        for name in ("kl_div", "hinge_embedding_loss", "binary_cross_entropy_with_logits")
        for n in (0, 1, 2, 3, -1)
    },
    **{
        f"{name} alone": pair(name)
        for name in ("kl_div", "hinge_embedding_loss", "binary_cross_entropy_with_logits", "poisson_nll_loss")
    },
    **{f"poisson_nll_loss {n}": pair("poisson_nll_loss", n > 0, n > 1, 1e-8, n) for n in (0, 1, 2, 3)},
    **{
        f"cosine_embedding_loss {n}": lambda L, make, n=n: L.cosine_embedding_loss(
            make(X), make(T), L.tensor([1, -1]), -0.9, n
        )
        for n in (0, 1, 2)
    },
    **{
        f"margin_ranking_loss {n}": lambda L, make, n=n: L.margin_ranking_loss(
            make(X), make(T), make([1.0, -1.0, 1.0]), 0.5, n
        )
        for n in (0, 1, 2)
    },
    **{
        f"triplet_margin_loss {n}": lambda L, make, n=n: L.triplet_margin_loss(
            make(X), make(T), make(T[::-1]), -0.25 + n, 2, swap=n > 1, reduction=n
        )
        for n in (0, 1, 2)
    },
    **{
        f"ctc_loss {n}": lambda L, make, n=n: L.ctc_loss(
            make([X, T, X]).log_softmax(2), L.tensor([[1], [2]]), [3, 2], [1, 1], 0, n
        )
        for n in (0, 1, 2, 7)
    },
    "ctc_loss of tensors": lambda L, make: L.ctc_loss(
        make([X, T, X]).log_softmax(2), L.tensor([[1], [2]]), L.tensor([3, 2]), L.tensor([1, 1])
    ),
    "ctc_loss by name": lambda L, make: L.ctc_loss(
        make([X, T, X]).log_softmax(2), L.tensor([[1], [2]]), [3, 2], [1, 1], reduction="mean"
    ),
    "kl_div of logarithms": pair("kl_div", 2, log_target=True),
    "kl_div by name": pair("kl_div", reduction="mean"),
    "kl_div by position": pair("kl_div", "mean"),
    "kl_div of a bool": pair("kl_div", True),
    "kl_div of a float": pair("kl_div", 1.0),
    "kl_div with too many arguments": pair("kl_div", 1, True),
    "kl_div of a number": lambda L, make: L.kl_div(3, make(T)),
    "kl_div with too few arguments": lambda L, make: L.kl_div(make(X)),
    "kl_div of log_target": pair("kl_div", log_target=3),
    "kl_div of an unknown keyword": pair("kl_div", foo=3),
    "hinge_embedding_loss of text": pair("hinge_embedding_loss", "a"),
    "logits of weights": lambda L, make: L.binary_cross_entropy_with_logits(
        make(X), make(T), make([0.5, 1.0, 2.0]).detach(), make([2.0, 1.0, 3.0]).detach(), 1
    ),
    "logits and a narrow target": lambda L, make: L.binary_cross_entropy_with_logits(make(X), make(T[0])),
    "logits and a wide target": lambda L, make: L.binary_cross_entropy_with_logits(make(X[0]).detach(), make(T)),
    "logits and integer targets": lambda L, make: L.binary_cross_entropy_with_logits(make(X), make(T).long()),
    "logits of a text": pair("binary_cross_entropy_with_logits", "a"),
    "triplets of text": lambda L, make: L.triplet_margin_loss(make(X), make(T), make(T), p="a"),
    **{
        f"{name} {i}": lines(name, *args)
        for name in ("max_pool1d", "max_pool1d_with_indices", "avg_pool1d")
        for i, args in enumerate(
            [
                (2,),
                ((3,), 1, [1]),
                (2, []),
                (2, None),
                (2, 1, 2),
                (7,),
                ("a",),
                (2.0,),
                ((1, 2),),
                (),
                (2, 2, 0, 1, 1, 1, 1),
            ]
        )
    },
    "max_pool1d in full": lines("max_pool1d", 2, 2, 1, 2, True),
    "max_pool1d of a bool": lines("max_pool1d", True),
    "max_pool1d with indices": lines("max_pool1d", 2, return_indices=True),
    "avg_pool1d in full": lines("avg_pool1d", 3, 2, 1, True, False),
    **{
        f"max_pool2d {i}": squares("max_pool2d", *args)
        for i, args in enumerate([(2,), ((1, 2), 1, (0, 1)), (2, [], 1, 1, True), ((1, 2, 3),), ("a",), (2, 1, 2)])
    },
    "max_pool2d of a vector": lambda L, make: L.max_pool2d(make(X[0]), 2),
    "max_pool3d": lambda L, make: L.max_pool3d(make([[LINES]]), (1, 2, 2), (1, 1, 3)),
    **{
        f"{name} {i}": lines(name, *args)
        for name in ("adaptive_avg_pool1d", "adaptive_max_pool1d")
        for i, args in enumerate([(2,), ((4,),), ([1, 2],), ("a",), (None,), (-1,), (2.0,), (), (2, 3)])
    },
    "adaptive_avg_pool1d of a vector": lambda L, make: L.adaptive_avg_pool1d(make(X[0]), 2),
    **{
        f"embedding_bag {i}": bags(*args)
        for i, args in enumerate(
            [
                (),
                (False, 1),
                (False, 2),
                (False, 0, False, None, True),
                (False, 1, False, None, True),
                (False, 0, False, None, False, 1),
                (False, 1, False, None, False, 1),
                (False, 2, False, None, False, 1),
                (False, 2, False, None, False, -3),
                (False, 3),
                (False, "mean"),
                (False, 0, False, None, False, 9),
                (1,),
            ]
        )
    },
    "embedding_bag with weights": lambda L, make: L.embedding_bag(
        make(TABLE), L.tensor([0, 1, 3]), L.tensor([0, 1]), False, 0, False, make([0.5, 2.0, 1.0])
    ),
    "the mean with weights": lambda L, make: L.embedding_bag(
        make(TABLE), L.tensor([0, 1, 3]), L.tensor([0, 1]), False, 1, False, make([0.5, 2.0, 1.0])
    ),
    "embedding_bag of int32": lambda L, make: L.embedding_bag(
        make(TABLE), L.tensor([0, 1, 3], dtype=L.int32), L.tensor([0, 1], dtype=L.int32), False, 2
    ),
    "embedding_bag of floats": lambda L, make: L.embedding_bag(make(TABLE), L.tensor([0.0]), L.tensor([0])),
    "embedding_bag out of range": lambda L, make: L.embedding_bag(make(TABLE).float(), L.tensor([4]), L.tensor([0])),
    "embedding_bag of late offsets": lambda L, make: L.embedding_bag(make(TABLE), L.tensor([1]), L.tensor([0, 9])),
    **{
        f"grid_sampler {mode} {outside}": sampled(mode, outside, mode != 1)
        for mode in (0, 1, 2)
        for outside in (0, 1, 2)
    },
    "grid_sampler by name": sampled("bilinear", 0, False),
    "grid_sampler with too few arguments": sampled(0, 0),
    "grid_sampler of three": lambda L, make: L.grid_sampler(make([LINES]), make([[[[0.25, 0.5, 1.0]]]]), 0, 0, True),
    "grid_sampler of two dtypes": lambda L, make: L.grid_sampler(
        make([LINES]).double(), make([[[[0.25, 0.5]]]]).float(), 0, 0, True
    ),
    **{
        f"affine_grid_generator {size}": lambda L, make, size=size: L.affine_grid_generator(make([X]), size, True)
        for size in ([1, 1, 2, 3], [1, 1, 2], 3, "a")
    },
    "affine_grid_generator in 3-D": lambda L, make: L.affine_grid_generator(
        make([[[1.0, 0.5, 0.25, 0.0], [0.0, 1.0, 2.0, 0.5], [0.5, 0.25, 1.0, 1.0]]]), (1, 1, 2, 2, 3), False
    ),
    "affine_grid_generator of a matrix": lambda L, make: L.affine_grid_generator(make(X), [1, 1, 2, 3], False),
    "affine_grid_generator with too few arguments": lambda L, make: L.affine_grid_generator(make([X]), [1, 1, 2, 3]),
    "convolution": convolved([1], [0], [1], False, [0], 1),
    "convolution with bias": convolved((2,), (1,), (2,), False, (0,), 1, bias=[1.0, 2.0]),
    "convolution transposed": convolved([2], [1], [1], True, [1], 1, bias=[1.0, 2.0]),
    "convolution in 2-D": lambda L, make: L.convolution(
        make([LINES]), make([[[[1.0, 2.0], [0.5, 3.0]]]]), None, [1], [1, 0], [1, 2], False, [0, 0], 1
    ),
    "convolution of numbers": convolved(1, 0, 1, False, 0, 1),
    "convolution with too few arguments": convolved(),
    "convolution of two strides": convolved([1, 1], [0], [1], False, [0], 1),
    "convolution of no stride": convolved([], [0], [1], False, [0], 1),
    "convolution of a line": lambda L, make: L.convolution(
        make(X), make([[[1.0, 2.0]]]), None, [1], [0], [1], False, [0], 1
    ),
    "convolution of groups": convolved([1], [0], [1], False, [0], 5),
    "conv_tbc": steps(),
    "conv_tbc padded": steps(1),
    "conv_tbc of text": steps("a"),
    "conv_tbc without a bias": lambda L, make: L.conv_tbc(make([X]), make([[[1.0], [2.0], [3.0]]]), None),
    "conv_tbc of a matrix": lambda L, make: L.conv_tbc(make(X), make([[[1.0]]]), make([1.0])),
    "conv_tbc by a matrix": steps(weight=X),
    "conv_tbc of another bias": steps(bias=(1.0, 2.0, 3.0)),
    "conv_tbc of other channels": steps(weight=[[[1.0], [2.0], [3.0]]], bias=(1.0,)),
    **{
        f"nuclear_norm {i}": lambda L, make, args=args: L.nuclear_norm(make([X, T]), *args)
        for i, args in enumerate([(), (True,), ((0, 2),), ((0, 1), True), (1,), ((0, 5),), ((0, 1, 2),)])
    },
    "nuclear_norm of integers": lambda L, make: L.nuclear_norm(L.eye(2).long()),
    "nuclear_norm of a vector": lambda L, make: L.nuclear_norm(make(X[0])),
    "nuclear_norm of text": lambda L, make: L.nuclear_norm(make(X), "a"),
    **{
        f"frobenius_norm {i}": lambda L, make, args=args: L.frobenius_norm(make([X, T]), *args)
        for i, args in enumerate([(), (0,), ((0, 2),), ([], True), (-1, True), ((0, 1, 2),), ((0, 0),), (5,), ("a",)])
    },
    "frobenius_norm of integers": lambda L, make: L.frobenius_norm(L.eye(2).long(), 0),
    "frobenius_norm of complex numbers": lambda L, make: L.frobenius_norm(L.ones(2, 2) * (3 + 4j), 1),
    **{
        f"norm_except_dim {i}": lambda L, make, args=args: L.norm_except_dim(make([X, T]), *args)
        for i, args in enumerate([(), (2, -1), (2, 1), (3, 2), (1, 0), (0, 0), (2, -2), (2, 5), (2.5,), ("a",)])
    },
    "norm_except_dim of a vector": lambda L, make: L.norm_except_dim(make(X[0])),
    "norm_except_dim of integers": lambda L, make: L.norm_except_dim(L.eye(2).long()),
    "norm_except_dim of a number": lambda L, make: L.norm_except_dim(L.tensor(3.0)),
}


def assert_same_outcome(program):
    """Check that a program has the same outcome in both libraries.

    Only the part of an error message that does not depend on PyTorch's build is compared.
    """
    theirs, ours = outcome(program, torch), outcome(program, torchlike)
    if theirs.error is None:
        both(program)
    else:
        assert comparable(ours) == comparable(theirs)


@pytest.mark.parametrize("case", PROGRAMS)
def test_results_and_errors(case):
    program = PROGRAMS[case]
    for dtype in ("float64", "int64", *["float32"] * ("bag" in case)):
        assert_same_outcome(lambda L, dtype=dtype: program(L, lambda values: L.tensor(values).to(getattr(L, dtype))))


# The excluded case has no gradient.
@pytest.mark.one_in(5)
@pytest.mark.parametrize("case", [case for case in PROGRAMS if case != "norm_except_dim 5"])
def test_gradients(case):
    def differentiated(L):
        leaves = []

        def make(values):
            leaves.append(L.tensor(values, dtype=L.float64, requires_grad=True))
            return leaves[-1]

        found = PROGRAMS[case](L, make)
        first = found[0] if isinstance(found, tuple) else found
        if first.requires_grad:
            (first * L.arange(1, first.numel() + 1).reshape(first.shape)).sum().backward()
        rest = [x.requires_grad for x in found] if isinstance(found, tuple) else None
        return first.requires_grad, rest, [leaf.grad for leaf in leaves]

    assert_same_outcome(differentiated)


@pytest.mark.parametrize("name", ["nuclear_norm", "frobenius_norm"])
def test_old_norms_are_deprecated(name):
    heard_of = [heard(lambda L: getattr(L, name)(L.ones(2, 2), (0, 1)), L)[1] for L in (torchlike, torch)]
    assert heard_of[0] == heard_of[1] and len(heard_of[0]) == 1


WITH_OUT = {
    "frobenius_norm": lambda L, out: L.frobenius_norm(L.tensor(X), 0, out=out),
    "nuclear_norm": lambda L, out: L.nuclear_norm(L.tensor(X), out=out),
    "nuclear_norm over dims": lambda L, out: L.nuclear_norm(L.tensor([X]), (1, 2), True, out=out),
    "conv_tbc": lambda L, out: L.conv_tbc(L.ones(2, 1, 1), L.ones(1, 1, 1), L.ones(1), out=out),
}


@pytest.mark.parametrize("case", WITH_OUT)
def test_out_arguments(case):
    def written(L):
        out = L.empty(0)
        return WITH_OUT[case](L, out) is out, out

    both(written)


def test_grid_sampler_refuses_unknown_modes():
    for numbers in ((3, 0), (0, -1)):
        with pytest.raises(ValueError, match="must be 0, 1 or 2"):
            torchlike.grid_sampler(torchlike.ones(1, 1, 2, 2), torchlike.zeros(1, 1, 1, 2), *numbers, True)


# -- build information, and functions for other backends ---------------------------------------------------------------


def test_build_information():
    both(lambda L: (L.compiled_with_cxx11_abi(), L.has_lapack, L.has_spectral))
    both(lambda L: L.set_flush_denormal("a"))
    assert torchlike.set_flush_denormal(True) is False
    assert (torchlike.has_mkl, torchlike.has_openmp) == (False, False)


@pytest.mark.parametrize("number", [4, 2.0, -1, "a"])
def test_sym_sqrt(number):
    both(lambda L: L.sym_sqrt(number))


def test_fork_and_wait():
    both(lambda L: L.wait(L.fork(lambda a, b: a + b, 3, b=L.ones(2))))


# -- storages of a single dtype ----------------------------------------------------------------------------------------

KINDS = [
    "Byte",
    "Char",
    "Short",
    "Int",
    "Long",
    "Bool",
    "Half",
    "BFloat16",
    "Float",
    "Double",
    "ComplexFloat",
    "ComplexDouble",
]
STORAGES = {
    "size": lambda L, S: (S(3).size(), S().size(), S(2).dtype, S.dtype, S(1).type(), S.__name__),
    "elements": lambda L, S: (S([0, 1]).tolist(), S((1, 0)).tolist(), repr(S([1])), repr(S())),
    "kinds": lambda L, S: (
        isinstance(S(1), S),
        issubclass(S, L.TypedStorage),
        type(S(1)) is L.TypedStorage,
        isinstance(L.ones(1).storage(), S),
        isinstance(3, S),
        L.is_storage(S(1)),
        isinstance(L.UntypedStorage(1), S),
    ),
    "memory": lambda L, S: S(wrap_storage=L.UntypedStorage(16)).size(),
    "tensor": lambda L, S: L.empty(0, dtype=S.dtype).set_(S([1, 0])),
    "two": lambda L, S: S(1, 2),
    "a tensor": lambda L, S: S(L.ones(2)),
    "no memory": lambda L, S: S(wrap_storage=3),
    "a fraction": lambda L, S: S(1.5),
    "both": lambda L, S: S(1, wrap_storage=L.UntypedStorage(8)),
}


@pytest.mark.parametrize("case", STORAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_storages(kind, case):
    both(lambda L: STORAGES[case](L, getattr(L, f"{kind}Storage")))


def test_storages_of_any_dtype():
    both(lambda L: L.storage.TypedStorage([1, 2], dtype=L.int64).tolist())
    both(lambda L: L.storage.TypedStorage(wrap_storage=L.UntypedStorage(8), dtype=L.int16).size())
    both(lambda L: (L.Storage is L.FloatStorage, L.Storage([1.5])[0], L.tensor(L.Storage([1.5, 2]))))
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        torchlike.FloatStorage(2)


# -- module names ------------------------------------------------------------------------------------------------------

NAMES_BY_PACKAGE = {
    "distributions": (
        "Distribution",
        "ExponentialFamily",
        "broadcast_all",
        "lazy_property",
        "logits_to_probs",
        "probs_to_logits",
    ),
    "optim": ("Optimizer",),
    "nn.modules": tuple(
        f"Lazy{kind}"
        for kind in (
            "ModuleMixin",
            "Linear",
            *[f"{k}{n}d" for k in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm") for n in (1, 2, 3)],
        )
    ),
    "cuda": ("Stream", "Event", "memory_allocated", "empty_cache", "manual_seed", "all_reduce", "is_available"),
}


def found_in(L, place, name):
    return importlib.import_module(f"{L.__name__}.{place}.{name}")


@pytest.mark.parametrize("place", NAMES_BY_PACKAGE)
def test_submodules_have_the_names_of_pytorchs(place):
    missing = []
    for found in pkgutil.iter_modules(importlib.import_module(f"torch.{place}").__path__):
        try:
            ours, theirs = found_in(torchlike, place, found.name), found_in(torch, place, found.name)
        except ImportError:
            continue
        missing += [(found.name, n) for n in NAMES_BY_PACKAGE[place] if hasattr(theirs, n) and not hasattr(ours, n)]
    assert missing == []


def test_nccl_is_unavailable():
    nccl = torchlike.cuda.nccl
    with pytest.warns(UserWarning, match="not compiled with NCCL"):
        assert nccl.is_available([torchlike.ones(2)]) is False
    with pytest.raises(NotImplementedError, match=r"cuda\.nccl\.all_reduce"):
        nccl.all_reduce([torchlike.ones(2)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert nccl.is_available([]) is False
    both(lambda L: (L.cuda.memory.memory_allocated(), L.cuda.random.get_rng_state_all()))


@pytest.mark.parametrize("dims", [2, 3])
def test_convert_conv_weight_memory_format(dims):
    def converted(L):
        mf = L.channels_last if dims == 2 else L.channels_last_3d
        kinds = [L.nn.Conv2d(2, 3, 2), L.nn.ConvTranspose2d(2, 3, 2), L.nn.Conv3d(2, 3, 2), L.nn.Linear(2, 2)]
        model = L.nn.Sequential(*kinds, L.nn.Sequential(L.nn.ConvTranspose3d(2, 3, 2)))
        places = importlib.import_module(f"{L.__name__}.nn.utils.memory_format")
        name = f"convert_conv{dims}d_weight_memory_format"
        same = getattr(places, name)(model, mf) is model
        return same, getattr(L.nn.utils, name) is getattr(places, name), [p.detach() for p in model.parameters()]

    both(converted)
