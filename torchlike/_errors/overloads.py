"""Errors of functions that have several signatures in PyTorch.

If several of them, or none, take as many arguments as a call gives, the error of the call lists all signatures. If just
one does, the error names its argument.
"""

from __future__ import annotations

from torchlike._errors import arguments
from torchlike._errors.signatures import counts, has_one_as_method

_UNLISTED = {"normal_": [(1, 4)]}  # for functions whose errors list no signatures


def of_overloads(error: TypeError, function: str, args: tuple, kwargs: dict) -> TypeError:
    """Return the error for arguments that do not fit: PyTorch's error for a choice of signatures, or `error`.

    `args` contains the tensor of a method.
    """
    known = _UNLISTED.get(function) or counts(function) or counts(function.rstrip("_"))
    count = len(args) + len(kwargs)
    if not known or sum(least <= count <= most for least, most in known) == 1:
        return error
    found = arguments.invalid_combination(function, args, kwargs)
    of_method, of_alias = (str(arguments.invalid_combination(arguments.METHOD, a, kwargs)) for a in (args[1:], args))
    if has_one_as_method(function):
        of_method = vars(error).get("of_method", of_method)
    return arguments.reworded(found, of_method, of_alias)
