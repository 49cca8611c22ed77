"""The optimizers with the option `foreach=True`."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

from torchlike import optim


def partialclass(cls: type, *args: Any, **kwargs: Any) -> Any:
    """Return a subclass whose constructor is called with additional arguments.

    Args:
      cls: the class.
      *args: the first positional arguments of the constructor.
      **kwargs: keyword arguments of the constructor.

    Returns:
      The subclass.
    """

    class NewCls(cls):
        __init__ = partialmethod(cls.__init__, *args, **kwargs)

    return NewCls


Adam = partialclass(optim.Adam, foreach=True)
AdamW = partialclass(optim.AdamW, foreach=True)
NAdam = partialclass(optim.NAdam, foreach=True)
SGD = partialclass(optim.SGD, foreach=True)
RAdam = partialclass(optim.RAdam, foreach=True)
RMSprop = partialclass(optim.RMSprop, foreach=True)
Rprop = partialclass(optim.Rprop, foreach=True)
ASGD = partialclass(optim.ASGD, foreach=True)
Adamax = partialclass(optim.Adamax, foreach=True)
Adadelta = partialclass(optim.Adadelta, foreach=True)
Adagrad = partialclass(optim.Adagrad, foreach=True)
