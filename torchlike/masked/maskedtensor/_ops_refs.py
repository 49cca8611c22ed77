"""The rules of functions on masked tensors, found by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import torchlike
from torchlike import Tensor
from torchlike._internal import adopt, cannot, name_of, plainly, warn
from torchlike.masked.maskedtensor.binary import BINARY_NAMES, binary
from torchlike.masked.maskedtensor.core import MaskedTensor, is_masked_tensor, masked_like
from torchlike.masked.maskedtensor.passthrough import PASSED_THROUGH, pass_through
from torchlike.masked.maskedtensor.reductions import REDUCE_NAMES, reduce
from torchlike.masked.maskedtensor.unary import UNARY_NAMES, unary

# Functions that do not look at the elements.
_QUERIES = frozenset(
    [
        *("size", "dim", "ndimension", "stride", "numel", "nelement", "len", "is_contiguous", "is_floating_point"),
        *("is_complex", "is_signed", "element_size", "get_device", "backward", "requires_grad", "register_hook"),
        *("retain_grad", "storage_offset", "is_same_size", "is_set_to", "is_shared", "is_pinned", "is_inference"),
        *("register_post_accumulate_grad_hook", "is_nonzero", "result_type"),
    ]
)
_CONVERSIONS = frozenset(
    [
        *("to", "type", "type_as", "double", "float", "half", "bfloat16", "int", "long", "short", "char", "byte"),
        *("bool", "cpu", "cuda", "clone", "detach", "conj", "to_dense"),
    ]
)


def call(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Call a function that has a masked tensor among its arguments."""
    name, writes = name_of(func)
    if name in REDUCE_NAMES and not writes:
        return reduce(func, name, args, kwargs)
    if name == "pow" or name in UNARY_NAMES:
        return unary(func, name, args, kwargs, writes)
    if name in BINARY_NAMES:
        return binary(func, name, args, kwargs, writes)
    if name in PASSED_THROUGH and not writes:
        return pass_through(func, args, kwargs)
    if name in _QUERIES:
        return plainly(func, args, kwargs, [each for each in args if is_masked_tensor(each)])
    if name in _CONVERSIONS and not writes:
        return _convert(func, args, kwargs)
    rule = _RULES.get(name + "_" * writes)
    return rule(func, *args, **kwargs) if rule else _refuse(name + "_" * writes)


def _refuse(name: str) -> NoReturn:
    warn(
        f"{name} is not implemented in __torch_dispatch__ for MaskedTensor.\n"
        "If you would like this operator to be supported, please file an issue for a feature request at "
        "https://github.com/pytorch/maskedtensor/issues with a minimal reproducible code snippet.\n"
        "In the case that the semantics for the operator are not trivial, it would be appreciated "
        "to also include a proposal for the semantics."
    )
    raise TypeError(
        f"Multiple dispatch failed for 'torch._ops.aten.{name}.default'; all __torch_dispatch__ handlers returned "
        f"NotImplemented:\n\n  - tensor subclass {MaskedTensor}\n\nFor more information, try re-running with "
        "TORCH_LOGS=not_implemented"
    )


def _convert(func: Callable, args: tuple, kwargs: dict) -> Any:
    first = args[0]
    result = plainly(func, args, kwargs, [each for each in args if is_masked_tensor(each)])
    if result is first or not isinstance(result, Tensor):
        return result
    fresh = result.clone() if func.__name__ == "detach" else result
    return masked_like(fresh, first.get_mask().to(fresh.device))


def _where(func: Callable, *args: Any, **kwargs: Any) -> MaskedTensor:
    if len(args) != 3:
        raise ValueError(f"__torch_function__, torch.where: len(args) must be 3 but got {len(args)}")
    if kwargs:
        raise ValueError(f"__torch_function__, torch.where: len(kwargs) must be 0 but got {len(kwargs)}")
    condition, *both = args
    data = [adopt(Tensor, each) if is_masked_tensor(each) else each for each in both]
    masks = [each.get_mask() if is_masked_tensor(each) else True for each in both]
    return masked_like(torchlike.where(condition, *data), torchlike.where(condition, *masks))


def _softmax(func: Callable, input: Any, *args: Any, **kwargs: Any) -> MaskedTensor:
    mask = input.get_mask()
    taken = adopt(Tensor, input).masked_fill(~mask, -torchlike.inf)
    return masked_like(func(taken, *args, **kwargs), mask)


def _softmin(func: Callable, input: MaskedTensor, *args: Any, **kwargs: Any) -> MaskedTensor:
    return _softmax(torchlike.nn.functional.softmax, -input, *args, **kwargs)


def _contiguous(func: Callable, input: MaskedTensor, *args: Any) -> MaskedTensor:
    if input.is_contiguous(*args):
        return input
    return masked_like(func(adopt(Tensor, input), *args), func(input.get_mask(), *args))


def _ones_like(func: Callable, input: MaskedTensor, **kwargs: Any) -> MaskedTensor:
    return masked_like(func(adopt(Tensor, input), **kwargs), input.get_mask())


def _copy(func: Callable, input: Any, other: Any, *args: Any) -> Any:
    return plainly(func, (input, other, *args), {}, [each for each in (input, other) if is_masked_tensor(each)])


def _divide_reversed(func: Callable, input: MaskedTensor, other: Any) -> MaskedTensor:
    return input.reciprocal() * other


def _to_sparse(func: Callable, *args: Any, **kwargs: Any) -> NoReturn:
    raise cannot(f"masked.MaskedTensor.{func.__name__}", "masked tensors are dense")


_RULES: dict[str, Callable] = {
    "where": _where,
    "softmax": _softmax,
    "contiguous": _contiguous,
    "softmin": _softmin,
    "ones_like": _ones_like,
    "copy_": _copy,
    "to_sparse": _to_sparse,
    "to_sparse_csr": _to_sparse,
    "rdiv": _divide_reversed,
}
