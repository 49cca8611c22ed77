"""Error and warning messages of `nn.utils`, with PyTorch's wording."""

from __future__ import annotations

from typing import Any

from torchlike.nn._errors import unsupported as unsupported


def weight_norm_deprecated() -> str:
    return "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`."


def hook_exists(kind: str, name: str) -> RuntimeError:
    return RuntimeError(f"Cannot register two {kind} hooks on the same parameter {name}")


def hook_not_found(kind: str, name: str, module: Any) -> ValueError:
    return ValueError(f"{kind} of '{name}' not found in {module}")


def power_iterations(count: int) -> ValueError:
    return ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={count}")


# -- parametrize -------------------------------------------------------------------------------------------------------


def nothing_to_parametrize(module: Any, name: str) -> ValueError:
    return ValueError(
        f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{name}'"
    )


def no_parameter_or_buffer(module: Any, name: str) -> ValueError:
    return ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")


def no_matrices(dimensions: int) -> ValueError:
    return ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {dimensions} dimensions.")


def not_these_matrices(due: Any, shape: Any) -> ValueError:
    return ValueError(f"Expected a matrix or batch of matrices of shape {due}. Got a tensor of shape {shape}.")


def orthogonal_map(given: str) -> ValueError:
    return ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {given}')


def complex_householder() -> ValueError:
    return ValueError("The householder parametrization does not support complex tensors.")


def map_not_inverted() -> NotImplementedError:
    return NotImplementedError(
        "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
        "use_trivialization=False."
    )


def no_parametrization(module: Any, name: str) -> ValueError:
    return ValueError(f"Module {module} does not have a parametrization on {name}")


def no_right_inverse(kind: str) -> RuntimeError:
    return RuntimeError(f"parametrization {kind} does not implement right_inverse.")


def parametrization_output(value: Any) -> ValueError:
    return ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")


def parametrization_changes(what: str, old: Any, new: Any, first: bool) -> ValueError:
    """Return the error of a parametrization that changes the shape or dtype of its tensor.

    PyTorch words the error of the first parametrization of a tensor differently from that of later ones.
    """
    refused = f"Registering a parametrization may not change the {what} of the tensor, unless "
    if first:
        refused += "`unsafe` flag is enabled."
        return ValueError(f"{refused}\nunparametrized {what}: {old}\nparametrized {what}: {new}")
    refused += "the `unsafe` flag is enabled."
    return ValueError(f"{refused}\nmodule.weight.{what}: {old}\nparametrization(module.weight).{what}: {new}")


def parametrized_pickle() -> RuntimeError:
    return RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def several_originals_left() -> ValueError:
    return ValueError(
        "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence "
        "of tensors."
    )


# -- functional_call and fusion ----------------------------------------------------------------------------------------


def repeated_keys(keys: list[str]) -> ValueError:
    return ValueError(f"{keys} appeared in multiple dictionaries; behavior of functional call is ambiguous")


def tied_keys(keys: list[str]) -> ValueError:
    return ValueError(
        f"functional_call got multiple values for keys {keys}, which are tied. Consider using tie_weights=False"
    )


def reparametrizing(module: str, unexpected: list[str], missing: list[str]) -> RuntimeError:
    lines = []
    for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
        if keys:
            lines.append(f"{what} key(s): " + ", ".join(f"'{key}'" for key in keys) + ".")
    return RuntimeError(f"Error(s) in reparametrizing for {module}:\n\t" + "\n\t".join(lines))


def stateless_deprecated() -> str:
    return (
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement."
    )


def fusion_in_training() -> AssertionError:
    return AssertionError("Fusion only for eval!")


# -- prune -------------------------------------------------------------------------------------------------------------


def prune_amount_type(amount: Any) -> TypeError:
    return TypeError(f"Invalid type for amount: {amount}. Must be int or float.")


def prune_amount(amount: Any) -> ValueError:
    return ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def prune_amount_too_large(amount: int, size: int) -> ValueError:
    return ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")


def prune_dimensions(shape: Any, dimensions: int) -> ValueError:
    return ValueError(
        f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {shape} with "
        f"{dimensions} dims"
    )


def prune_dim(dim: int, shape: Any) -> IndexError:
    return IndexError(f"Invalid index {dim} for tensor of size {shape}")


def prune_global_type(method: Any, kind: str) -> TypeError:
    return TypeError(
        f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {method} of type {kind}'
    )


def not_pruned(name: str, module: Any) -> ValueError:
    return ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
