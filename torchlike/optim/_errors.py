"""The sentences of `torch.optim`, each written once."""

from __future__ import annotations

from typing import Any

from torchlike import _errors


def unsupported_option(optimizer: str, name: str) -> NotImplementedError:
    """An option that changes what `step` may be part of, and that is not offered."""
    return _errors.unsupported(f"torchlike.optim.{optimizer}", name)


# --- hyperparameters ---------------------------------------------------------------------------------------------------


def invalid(what: str, value: Any) -> ValueError:
    return ValueError(f"Invalid {what}: {value}")


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


# --- parameters and groups ---------------------------------------------------------------------------------------------


def params_is_a_tensor(type_name: str) -> TypeError:
    return TypeError(f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got {type_name}")


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


# --- state and hooks ---------------------------------------------------------------------------------------------------


def group_count_differs() -> ValueError:
    return ValueError("loaded state dict has a different number of parameter groups")


def group_size_differs() -> ValueError:
    return ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")


def bad_pre_hook_result(step: Any, result: Any) -> RuntimeError:
    return RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {result}.")
