"""`PostLocalSGDOptimizer`: an optimizer that averages the parameters of processes after its steps."""

from __future__ import annotations

from typing import Any

from torchlike._internal import warn
from torchlike.distributed.algorithms.model_averaging.averagers import ModelAverager
from torchlike.optim import Optimizer


class PostLocalSGDOptimizer(Optimizer):
    """An optimizer that steps another optimizer and then averages the parameters (post-local SGD, arXiv:1808.07217).

    Its state dict has the number of steps of the averager too.

    Args:
      optim (Optimizer): the optimizer of this process.
      averager (ModelAverager): decides when parameters are averaged, and over which processes.
    """

    def __init__(self, optim: Optimizer, averager: ModelAverager) -> None:
        self.optim, self.averager = optim, averager
        self.param_groups = optim.param_groups

    @property
    def state(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride] the inner optimizer has it
        """The state of the inner optimizer."""
        return self.optim.state

    def __repr__(self) -> str:
        return repr(self.optim)

    def state_dict(self) -> dict[str, Any]:
        """Return the state dict of the inner optimizer, with the number of steps of the averager as `"step"`."""
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the state of the inner optimizer and the number of steps of the averager.

        Args:
          state_dict (dict): a result of `state_dict`. Without `"step"`, the averager starts at 0, with a warning.
        """
        self.optim.load_state_dict(state_dict)
        if "step" not in state_dict:
            warn("Loaded state dict does not contain a step counter for an averager. Setting step counter to 0.")
        self.averager.step = state_dict.get("step", 0)

    def step(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] PyTorch's takes no closure either
        """Step the inner optimizer and average its parameters."""
        self.optim.step()
        self.averager.average_parameters(params=self.param_groups)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of the inner optimizer's parameters.

        Args:
          set_to_none (bool, default True): whether the gradients become None instead of zeros.
        """
        self.optim.zero_grad(set_to_none=set_to_none)

    def _followed(self) -> list:
        """Return the objects that a captured call reaches through this optimizer."""
        return [self.optim, self.averager]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group to the inner optimizer.

        Args:
          param_group (dict): the parameters and their options.
        """
        self.optim.add_param_group(param_group)
