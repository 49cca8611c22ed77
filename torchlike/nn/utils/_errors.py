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


def orthogonal_map(given: str) -> ValueError:
    return ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {given}')


def parametrization_changes(what: str, old: Any, new: Any, first: bool) -> ValueError:
    """Return the error for a parametrization that changes the shape or dtype of its tensor.

    PyTorch words the error of the first parametrization of a tensor differently from that of later ones.
    """
    refused = f"Registering a parametrization may not change the {what} of the tensor, unless "
    if first:
        refused += "`unsafe` flag is enabled."
        return ValueError(f"{refused}\nunparametrized {what}: {old}\nparametrized {what}: {new}")
    refused += "the `unsafe` flag is enabled."
    return ValueError(f"{refused}\nmodule.weight.{what}: {old}\nparametrization(module.weight).{what}: {new}")


def several_originals_left() -> ValueError:
    return ValueError(
        "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence "
        "of tensors."
    )


# -- functional_call and fusion ----------------------------------------------------------------------------------------


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


def prune_dimensions(shape: Any, dimensions: int) -> ValueError:
    return ValueError(
        f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {shape} with "
        f"{dimensions} dims"
    )


def prune_global_type(method: Any, kind: str) -> TypeError:
    return TypeError(
        f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {method} of type {kind}'
    )


def prune_scores(scores: Any, shape: Any, name: str, module: Any) -> AssertionError:
    return AssertionError(
        f"importance_scores should have the same shape as parameter {name} of {module}, got {scores} vs {shape}"
    )


def prune_mask(default: Any, mask: Any) -> AssertionError:
    return AssertionError(f"default_mask shape {default} must match self.mask shape {mask}")
