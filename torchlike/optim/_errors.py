"""Error and warning messages of `optim`, with PyTorch's wording."""

from __future__ import annotations

from typing import Any

from torchlike._internal import _errors


def unsupported_option(optimizer: str, name: str) -> NotImplementedError:
    """Return the error of an optimizer option that is not supported."""
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


def no_dense_gradients() -> RuntimeError:
    return RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")


def sparse_parameters(places: list[list[int]]) -> ValueError:
    return ValueError(f"Sparse params at indices {places}: SparseAdam requires dense parameter tensors")


def complex_parameters(places: list[list[int]]) -> ValueError:
    return ValueError(f"Complex params at indices {places}: SparseAdam does not support complex parameters")


def sparse_complex(optimizer: str) -> NotImplementedError:
    return NotImplementedError(
        f"torchlike.optim.{optimizer} does not support sparse gradients of complex numbers. "
        "Received: one. Use a dense gradient."
    )


def sparse_with_weight_decay() -> RuntimeError:
    return RuntimeError("weight_decay option is not compatible with sparse gradients")


def sparse_with_fused(optimizer: str) -> RuntimeError:
    if optimizer == "SGD":
        return RuntimeError("`_fused_sgd` does not support sparse gradients")
    return RuntimeError("`fused` does not support sparse grad or complex param")


def muon_not_a_matrix(size: Any) -> ValueError:
    return ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {size}")


def muon_adjustment(name: Any) -> ValueError:
    return ValueError(f"Adjust learning rate function {name} is not supported")


def muon_coefficients() -> ValueError:
    return ValueError("Coefficients must be a tuple of exactly 3 values")


def muon_steps() -> ValueError:
    return ValueError("Number of steps must be less than 100 for computational efficiency")


def lr_not_one_element(name: str = "lr") -> ValueError:
    return ValueError(f"Tensor {name} must be 1-element")


def betas_mixed() -> ValueError:
    return ValueError("betas must be either both floats or both Tensors")


def tensor_with_foreach(name: str) -> ValueError:
    return ValueError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")


def nesterov_needs_momentum() -> ValueError:
    return ValueError("Nesterov momentum requires a momentum and zero dampening")


def fused_and_foreach() -> RuntimeError:
    return RuntimeError("`fused` and `foreach` cannot be `True` together.")


def fused_and_differentiable() -> RuntimeError:
    return RuntimeError("`fused` does not support `differentiable`")


def step_requires_grad() -> RuntimeError:
    return RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")


def lists_not_recorded() -> AssertionError:
    return AssertionError("_foreach ops don't support autograd")


# --- parameters and groups --------------------------------------------------------------------------------------------


def params_is_a_tensor(type_name: str) -> TypeError:
    return TypeError(
        f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got {type_name}"
    )


def no_parameters() -> ValueError:
    return ValueError("optimizer got an empty parameter list")


def group_is_not_a_dict(group: Any) -> TypeError:
    return TypeError(f"param_group must be a dict, but got {type(group)}")


def params_in_a_set() -> TypeError:
    return TypeError(
        "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
        "will change between runs. Please use a list instead."
    )


def param_is_not_a_tensor(param: Any) -> TypeError:
    return TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}")


def param_is_not_a_leaf() -> ValueError:
    return ValueError("can't optimize a non-leaf Tensor")


def some_names_missing() -> ValueError:
    return ValueError("all optimizer params should be with/without names. Some param names are missing")


def names_in_some_groups(this_one: str) -> ValueError:
    return ValueError(
        "all optimizer param groups should be with/without names. "
        f"cannot add param group {this_one} names to the optimizer"
    )


def option_required(name: str) -> ValueError:
    return ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")


def in_two_groups() -> ValueError:
    return ValueError("some parameters appear in more than one parameter group")


def duplicate_parameters_warning() -> str:
    return (
        "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
        "see github.com/pytorch/pytorch/issues/40967 for more information"
    )


def duplicate_parameters() -> NotImplementedError:
    return NotImplementedError(
        "step() with the same parameter twice in one parameter group is not supported. "
        "Received: a group with duplicates. List every parameter once."
    )


def lbfgs_groups() -> ValueError:
    return ValueError("LBFGS doesn't support per-parameter options (parameter groups)")


def lbfgs_line_search() -> RuntimeError:
    return RuntimeError("only 'strong_wolfe' is supported")


# --- state and hooks --------------------------------------------------------------------------------------------------


def group_count_differs() -> ValueError:
    return ValueError("loaded state dict has a different number of parameter groups")


def group_size_differs() -> ValueError:
    return ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")


def bad_pre_hook_result(step: Any, result: Any) -> RuntimeError:
    return RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {result}.")


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


def constant_factor() -> ValueError:
    return ValueError("Constant multiplicative factor expected to be between 0 and 1.")


def linear_start_factor() -> ValueError:
    return ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")


def linear_end_factor() -> ValueError:
    return ValueError("Ending multiplicative factor expected to be between 0 and 1.")


def lambda_count(expected: int, received: int) -> ValueError:
    return ValueError(f"Expected {expected} lr_lambdas, but got {received}")


def restart_t0(value: Any) -> ValueError:
    return ValueError(f"Expected positive integer T_0, but got {value}")


def restart_t_mult(value: Any) -> ValueError:
    return ValueError(f"Expected integer T_mult >= 1, but got {value}")


def restart_eta_min(value: Any) -> ValueError:
    return ValueError(f"Expected float or int eta_min, but got {value} of type {type(value)}")


def restart_epoch(value: Any) -> ValueError:
    return ValueError(f"Expected non-negative epoch, but got {value}")


def plateau_factor() -> ValueError:
    return ValueError("Factor should be < 1.0.")


def plateau_mode(mode: Any) -> ValueError:
    return ValueError(f"mode {mode} is unknown!")


def plateau_threshold_mode(mode: Any) -> ValueError:
    return ValueError(f"threshold mode {mode} is unknown!")


def plateau_min_lrs(expected: int, received: int) -> ValueError:
    return ValueError(f"expected {expected} min_lrs, got {received}")


def plateau_groups_added(bounds: int, groups: int) -> RuntimeError:
    return RuntimeError(
        f"The number of param groups in the `optimizer` ({groups}) differs from when `ReduceLROnPlateau` was "
        f"initialized ({bounds}), usually due to a new param group being added to the optimizer. Please modify the "
        f"`min_lrs` field to match the length of the `optimizer` param groups."
    )


def no_optimizer_attribute(name: str, index: int) -> TypeError:
    return TypeError(f"{name} at index {index} should have `optimizer` as its attribute.")


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


def sequence_empty() -> ValueError:
    return ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")


def sequence_milestones(schedulers: int, milestones: int) -> ValueError:
    return ValueError(
        "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
        f"points, but got number of schedulers {schedulers} and the number of milestones to be equal to {milestones}"
    )


def chain_empty() -> ValueError:
    return ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")


def cycle_values(name: str, values: int, groups: int) -> ValueError:
    return ValueError(
        f"{name} must have the same length as optimizer.param_groups. "
        f"{name} has {values} values, param_groups has {groups}."
    )


def cycle_mode() -> ValueError:
    return ValueError("mode is invalid and scale_fn is None")


def cycle_without_momentum() -> ValueError:
    return ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")


def cycle_length() -> ValueError:
    return ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")


def cycle_positive(name: str, value: Any) -> ValueError:
    return ValueError(f"Expected positive integer {name}, but got {value}")


def cycle_pct_start(value: Any) -> ValueError:
    return ValueError(f"Expected float between 0 and 1 pct_start, but got {value}")


def cycle_strategy(value: Any) -> ValueError:
    return ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {value}")


def cycle_ended(step: int, total: int) -> ValueError:
    return ValueError(f"Tried to step {step} times. The specified number of total steps is {total}")


def swa_decay(decay: float) -> ValueError:
    return ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def swa_two_averages() -> AssertionError:
    return AssertionError("Only one of avg_fn and multi_avg_fn should be provided")


def swa_epochs(value: Any) -> ValueError:
    return ValueError(f"anneal_epochs must be equal or greater than 0, got {value}")


def no_variance(name: str) -> AssertionError:
    """Return the error of an Adafactor state that lacks the entry `name`."""
    what = "variance should be defined when grad is a vector"
    both = "row_var and col_var should be defined when grad is multidimensional"
    return AssertionError(what if name == "variance" else both)
