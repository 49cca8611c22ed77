"""Defines which properties of a torchlike result must equal PyTorch's."""

import torch

import torchlike
from tests.oracle._convert import name_of, to_theirs


def assert_same(ours, theirs, *, rtol=None, atol=None, stride=True, grad=True, at="result") -> None:
    """Fail unless ``ours`` equals ``theirs``.

    Tensors are compared by value (to the rounding of the dtype), dtype, shape, stride and ``requires_grad``. Tuples,
    lists, dicts and named tuples are compared item by item, other objects by type name and by equality or text. A
    tolerance, given as ``rtol`` and ``atol`` together, replaces PyTorch's default for the dtype. Add a comment with the
    reason to every tolerance.
    """
    how = {"rtol": rtol, "atol": atol, "stride": stride, "grad": grad}
    if isinstance(theirs, torch.Tensor):
        _same_tensor(ours, theirs, at, **how)
    elif isinstance(theirs, dict):
        assert isinstance(ours, dict), f"{at}: {type(ours).__name__}, not dict"
        assert list(ours) == list(theirs), f"{at}: keys {list(ours)}, not {list(theirs)}"
        for key in theirs:
            assert_same(ours[key], theirs[key], at=f"{at}[{key!r}]", **how)
    elif isinstance(theirs, tuple | list):
        _same_sequence(ours, theirs, at, how)
    elif isinstance(theirs, float | complex):
        assert type(ours) is type(theirs), f"{at}: {type(ours).__name__}, not {type(theirs).__name__}"
        torch.testing.assert_close(ours, theirs, rtol=rtol, atol=atol, equal_nan=True, msg=lambda text: f"{at}: {text}")
    else:
        _same_object(ours, theirs, at)


def _same_tensor(ours, theirs, at, *, rtol, atol, stride, grad) -> None:
    assert isinstance(ours, torchlike.Tensor), f"{at}: {type(ours).__name__}, not Tensor"
    assert type(ours).__name__ == type(theirs).__name__, f"{at}: {type(ours)}, not {type(theirs)}"
    seen = _outside(ours, stride, grad)
    due = _outside(theirs, stride, grad)
    assert seen == due, f"{at}: {seen}, not {due}"
    if theirs.device.type != "meta":
        expected = theirs.detach().resolve_conj().resolve_neg()
        torch.testing.assert_close(
            to_theirs(ours), expected, rtol=rtol, atol=atol, equal_nan=True, msg=lambda text: f"{at}: {text}"
        )


def _outside(tensor, stride: bool, grad: bool) -> dict:
    facts = {"dtype": name_of(tensor.dtype), "shape": tuple(tensor.shape), "device": tensor.device.type}
    if stride:
        facts["stride"] = tuple(tensor.stride())
        facts["pending"] = tensor.is_conj(), tensor.is_neg()
    if grad:
        facts["requires_grad"] = tensor.requires_grad
    return facts


def _same_sequence(ours, theirs, at, how) -> None:
    kind = type(theirs).__name__
    assert type(ours).__name__ == kind, f"{at}: {type(ours).__name__}, not {kind}"
    assert len(ours) == len(theirs), f"{at}: {len(ours)} items, not {len(theirs)}"
    # torch.return_types.* are structseqs, whose fields are attributes of the instance.
    for field in getattr(theirs, "_fields", None) or [name for name in vars(type(theirs)) if _is_field(theirs, name)]:
        assert hasattr(ours, field), f"{at}: no field {field}"
    for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        assert_same(a, b, at=f"{at}[{index}]", **how)


def _is_field(sequence, name: str) -> bool:
    return hasattr(type(sequence), "n_fields") and type(vars(type(sequence))[name]).__name__ == "member_descriptor"


def _same_object(ours, theirs, at) -> None:
    kind = type(theirs).__name__
    assert type(ours).__name__ == kind, f"{at}: {type(ours).__name__}, not {kind}"
    if type(theirs).__module__.partition(".")[0] == "torch":
        ours, theirs = str(ours), str(theirs)
    assert ours == theirs, f"{at}: {ours!r}, not {theirs!r}"
