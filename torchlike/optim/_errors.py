"""Error and warning messages of `optim`, with PyTorch's wording."""

from __future__ import annotations

from typing import Any

from torchlike._internal import _errors


def unsupported_option(optimizer: str, name: str) -> NotImplementedError:
    """Return the error for an optimizer option that is not supported."""
    return _errors.arguments.unsupported(f"torchlike.optim.{optimizer}", name)


# --- hyperparameters --------------------------------------------------------------------------------------------------


def invalid(what: str, value: Any) -> ValueError:
    return ValueError(f"Invalid {what}: {value}")


def too_small(what: str, bound: float, value: Any) -> ValueError:
    return ValueError(f"{what} should be >= {bound} but is: {value}")


def too_large(what: str, bound: float, value: Any) -> ValueError:
    return ValueError(f"{what} should be <= {bound} but is: {value}")


def no_complex(optimizer: str) -> RuntimeError:
    return RuntimeError(f"{optimizer} does not support complex parameters")


def no_sparse_gradients(optimizer: str) -> RuntimeError:
    hint = ", please consider SparseAdam instead" if optimizer == "Adam" else ""
    return RuntimeError(f"{optimizer} does not support sparse gradients{hint}")


def sparse_with_fused(optimizer: str) -> RuntimeError:
    if optimizer == "SGD":
        return RuntimeError("`_fused_sgd` does not support sparse gradients")
    return RuntimeError("`fused` does not support sparse grad or complex param")


def not_capturable(what: str, xla: bool) -> AssertionError:
    devices = ["cuda", "xpu", "hpu", "privateuseone"] + ["xla"] * xla
    return AssertionError(f"If capturable=True, {what} must be on supported devices: {devices}.")


def not_fused(devices: list[str], dtype: Any, device: str) -> RuntimeError:
    return RuntimeError(
        f"`fused=True` requires all the params to be floating point Tensors of supported devices: {devices} but "
        f"{dtype} and {device}"
    )


def lr_not_one_element(name: str = "lr") -> ValueError:
    return ValueError(f"Tensor {name} must be 1-element")


def tensor_with_foreach(name: str) -> ValueError:
    return ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")


# --- parameters and groups --------------------------------------------------------------------------------------------


def params_is_a_tensor(type_name: str) -> TypeError:
    return TypeError(
        f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got {type_name}"
    )


def names_in_some_groups(this_one: str) -> ValueError:
    return ValueError(
        "all optimizer param groups should be with/without names. "
        f"cannot add param group {this_one} names to the optimizer"
    )


def not_a_leaf(tensor: Any) -> ValueError:
    text = "can't optimize a non-leaf Tensor"
    if getattr(tensor, "_is_param", False):
        text += (
            ". It is a parameter that fully_shard gathered: call reshard() of its module before making the optimizer"
        )
    return ValueError(text)


def duplicate_parameters_warning() -> str:
    return (
        "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
        "see github.com/pytorch/pytorch/issues/40967 for more information"
    )


# --- state and hooks --------------------------------------------------------------------------------------------------


# --- schedulers -------------------------------------------------------------------------------------------------------


def not_an_optimizer(optimizer: Any) -> TypeError:
    return TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def initial_lr_missing(index: int) -> KeyError:
    return KeyError(
        f"param 'initial_lr' is not specified in param_groups[{index}] when resuming scheduler with last_epoch >= 0.\n"
        "This typically happens when:\n"
        "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
        "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
    )


_HOW_TO_ADJUST = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


def stepped_before_optimizer() -> str:
    return (
        "Detected call of `lr_scheduler.step()` before `optimizer.step()`. "
        "In PyTorch 1.1.0 and later, you should call them in the opposite order: "
        "`optimizer.step()` before `lr_scheduler.step()`.  Failure to do this "
        f"will result in PyTorch skipping the first value of the learning rate schedule. {_HOW_TO_ADJUST}"
    )


def step_overridden() -> str:
    return (
        "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
        f"Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_HOW_TO_ADJUST}"
    )


def epoch_deprecated() -> str:
    return (
        "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
        "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, "
        "the closed form is used instead of the new chainable form, where available. "
        "Please open an issue if you are unable to replicate your use case: "
        "https://github.com/pytorch/pytorch/issues/new/choose."
    )


def use_get_last_lr() -> str:
    return "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."


def plateau_groups_added(bounds: int, groups: int) -> RuntimeError:
    return RuntimeError(
        f"The number of param groups in the `optimizer` ({groups}) differs from when `ReduceLROnPlateau` was "
        f"initialized ({bounds}), usually due to a new param group being added to the optimizer. Please modify the "
        f"`min_lrs` field to match the length of the `optimizer` param groups."
    )


def plateau_in_combination(name: str, index: int) -> ValueError:
    return ValueError(
        f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified "
        f"when calling `step`, but got one at index {index} in the given schedulers sequence."
    )


def other_optimizer(name: str, scheduler: Any, index: int, optimizer: Any) -> ValueError:
    return ValueError(
        f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
        f"{type(scheduler).__name__} at index {index} has {scheduler.optimizer}, "
        f"which is different from {type(optimizer).__name__}."
    )


def sequence_milestones(schedulers: int, milestones: int) -> ValueError:
    return ValueError(
        "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
        f"points, but got number of schedulers {schedulers} and the number of milestones to be equal to {milestones}"
    )


def cycle_values(name: str, values: int, groups: int) -> ValueError:
    return ValueError(
        f"{name} must have the same length as optimizer.param_groups. "
        f"{name} has {values} values, param_groups has {groups}."
    )


def cycle_strategy(value: Any) -> ValueError:
    return ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {value}")


def no_variance(name: str) -> AssertionError:
    """Return the error for an Adafactor state that lacks the entry `name`."""
    what = "variance should be defined when grad is a vector"
    both = "row_var and col_var should be defined when grad is multidimensional"
    return AssertionError(what if name == "variance" else both)
