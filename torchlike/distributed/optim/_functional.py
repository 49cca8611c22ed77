"""The base class of optimizers whose gradients are passed to `step`."""

from __future__ import annotations

import warnings
from typing import Any

from torchlike import Tensor
from torchlike._internal import warn
from torchlike.optim import Optimizer


class _Functional:
    """An optimizer with gradients that are passed to `step`. The `.grad` of the parameters does not change.

    Args:
      kind (type): the class of the optimizer that computes the steps.
      params (list of Tensors): the parameters.
      options (dict): the options of the optimizer.
      may_be_empty: whether there may be no parameters.
    """

    def __init__(
        self, kind: type[Optimizer], params: list[Tensor], options: dict[str, Any], may_be_empty: bool
    ) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warn(
                "`TorchScript` support for functional optimizers is deprecated and will be removed in a future PyTorch "
                "release. Consider using the `torch.compile` optimizer instead.",
                DeprecationWarning,
            )
        self._kind, self._options = kind, options
        self._optimizers: dict[Tensor, Optimizer] = {}
        if not params and not may_be_empty:
            raise ValueError("optimizer got an empty parameter list")
        kind([Tensor([0.0])], **options)  # check the options
        self.param_group = {"params": params}
        self.defaults = {name: x for name, x in options.items() if isinstance(x, float | int) and type(x) is not bool}
        if "betas" in options:
            self.defaults["beta1"], self.defaults["beta2"] = options["betas"]

    @property
    def state(self) -> dict[Tensor, dict[str, Any]]:
        """The state of each parameter."""
        return {param: optimizer.state[param] for param, optimizer in self._optimizers.items()}

    def step_param(self, param: Tensor, grad: Tensor | None) -> None:
        """Update one parameter.

        Args:
          param (Tensor): the parameter.
          grad (Tensor or None): its gradient.
        """
        if grad is None:
            return
        optimizer = self._optimizers.get(param)
        if optimizer is None:
            optimizer = self._optimizers[param] = self._kind([param], **self._options)
        for name in optimizer.param_groups[0].keys() & self.defaults.keys():
            optimizer.param_groups[0][name] = self.defaults[name]
        before, param.grad = param.grad, grad
        try:
            optimizer.step()
        finally:
            param.grad = before

    def step(self, gradients: list[Tensor | None]) -> None:
        """Update the parameters.

        Args:
          gradients (list): the gradient of each parameter, or None for a parameter that does not change.

        Raises:
          ValueError: there are more or fewer gradients than parameters.
        """
        params = self.param_group["params"]
        if len(params) != len(gradients):
            raise ValueError(
                "the gradients passed in does not equal to the size of the parameters!"
                f"Params length: {len(params)}. Gradients length: {len(gradients)}"
            )
        for param, grad in zip(params, gradients):
            self.step_param(param, grad)
