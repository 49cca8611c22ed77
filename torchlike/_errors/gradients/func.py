"""PyTorch's error messages about function transforms: `vmap`, `grad` and similar ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_ISSUE = "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."


# -- inside a function under vmap --------------------------------------------------------------------------------------


def escaped() -> RuntimeError:
    return RuntimeError(
        "Either your tensor may have escaped from inside a function being vmapped and this is a user "
        "error (see https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal "
        "functorch error in `gen_vmap_plumbing` Please file an issue if it looks like the latter"
    )


_DYNAMIC = {
    "nonzero": "aten::nonzero",
    "argwhere": "aten::nonzero",
    "unique": "aten::_unique2",
    "unique_consecutive": "aten::unique_consecutive",
}


_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow."
    " We don't support that yet, please file an issue at "
    "https://github.com/pytorch/pytorch/issues ."
)
_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling"
    " .item() on a Tensor, please try to rewrite what you're doing with other operations. If "
    "error is occurring somewhere inside PyTorch internals, please file a bug report."
)
# The error of each function that reads elements. The first entry whose function is on the call stack applies.
_READERS = {
    "one_hot": "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument.",
    "allclose": f"vmap over torch.allclose isn't supported yet. {_ISSUE}",
    **dict.fromkeys(("__bool__", "is_nonzero"), _FLOW),
    **dict.fromkeys(("item", "__int__", "__float__", "__index__", "__complex__"), _ITEM),
    **dict.fromkeys(("tolist", "numpy", "__array__"), "Cannot access data pointer of Tensor that doesn't have storage"),
}


def observed(calls: Sequence[str]) -> RuntimeError:
    """Return the error for reading elements that differ between the examples of a batched value.

    `calls` are the names of the calling functions, the outermost last.
    """
    names = set(calls)
    if "masked_select" in names:
        return RuntimeError(
            "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support "
            f"this because for each batch this would return a differently shaped Tensor. {_ISSUE}"
        )
    for name, aten in _DYNAMIC.items():
        if name in names and "__getitem__" not in names:
            return RuntimeError(
                "vmap: We do not support batching operators that can output dynamic shape. Attempted "
                f"to vmap over {aten}. {_ISSUE}"
            )
    if "__getitem__" in names or "__setitem__" in names:
        return RuntimeError(
            "vmap: We do not support batching operators that can support dynamic shape. Attempting to "
            "batch over indexing with a boolean mask."
        )
    for name, message in _READERS.items():
        if name in names:
            return RuntimeError(message)
    named = [name for name in calls if name not in ("mapped", "run", "public", "call", "wrapper")]
    return RuntimeError(
        f"vmap: {named[-1] if named else 'this operator'} reads the elements of a tensor, which "
        "differ between the batched examples."
    )


def write_to_unmapped(calls: Sequence[str]) -> RuntimeError:
    """Return the error for a write of a batched tensor to an unbatched one."""
    if any("batch_norm" in name for name in calls):
        return RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
            "place, were not batched.\nIf you are using a module and do not need eval mode, please set "
            "`track_running_stats` to be False.If you are using a prebuilt module and do not need eval mode, please "
            "see the functorch website for resources on how to patch your module to work with vmap"
        )
    named = [name for name in calls if name in ("fill_", "index_put_", "index_add_", "scatter_", "scatter_add_")]
    name = named[-1] if named else "inplace arithmetic"
    return RuntimeError(
        f"vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has "
        "more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over "
        f"in a vmap. Please try to use out-of-place operators instead of {name}. If said operator is being called "
        "inside the PyTorch framework, please file a bug report instead."
    )


def check_captured_write(calls: Sequence[str]) -> None:
    """Raise PyTorch's error if a write to a captured tensor is that of an in-place operator.

    PyTorch does not refuse other functions that write: `batch_norm`, and functions with `out=`.
    """
    name = next((name for name in reversed(calls) if _is_in_place(name)), None)
    if name is not None and "write_out" not in calls:
        raise RuntimeError(
            "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
            f"(aten::{_IN_PLACE.get(name, name)}) that would mutate a captured Tensor. This is not supported; please "
            "rewrite the function being transformed to explicitly accept the mutated Tensor(s) as inputs."
        )


_IN_PLACE = {"__setitem__": "copy_"}


def _is_in_place(name: str) -> bool:
    return name in _IN_PLACE or (name.endswith("_") and not name.startswith("_"))


# -- arguments of vmap -------------------------------------------------------------------------------------------------


def randomness(given: Any) -> RuntimeError:
    return RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {given}")


def chunk_size(given: Any) -> ValueError:
    return ValueError(f"vmap: chunk_size should be None or greater than 0. (got {given})")


def no_inputs(name: str) -> ValueError:
    return ValueError(
        f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
        "vmap over a function with no inputs. The latter is unsupported."
    )


def in_dims_structure(name: str, in_dims: Any, specs: tuple) -> ValueError:
    return ValueError(
        f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of"
        f" `inputs`. in_dims has structure {specs[0]} but inputs has structure {specs[1]}."
    )


def out_dims_structure(name: str, out_dims: Any, specs: tuple) -> ValueError:
    return ValueError(
        f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure"
        f" of `outputs`. out_dims has structure {specs[0]} but outputs has structure {specs[1]}."
    )


def result_kind(name: str, given: Any) -> ValueError:
    return ValueError(
        f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(given)}. Did you mean to "
        "set out_dims= to None for output?"
    )


# -- derivatives -------------------------------------------------------------------------------------------------------


def inside_a_transform(what: str) -> RuntimeError:
    if what == "backward":
        return RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use "
            "functorch.grad or functorch.vjp instead or call backward() outside of functorch transforms."
        )
    return RuntimeError(
        "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd."
        "functional.* APIs) inside of a function being transformed by a functorch transform. This is "
        "unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, "
        "hessian) or call requires_grad_() outside of a function being transformed instead."
    )


def gradient_of_no_tensor(given: Any) -> RuntimeError:
    return RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(given)}")


def only_tensors(what: str, given: Any) -> RuntimeError:
    return RuntimeError(f"{what}: expected f(*primals) to return only tensors, got unsupported type {type(given)}")


def independent_result(what: str) -> RuntimeError:
    return RuntimeError(f"{what}: The output of f is independent of the inputs. This is not allowed with strict=True.")


def jacobian_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(
        f"vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype {dtype}"
    )


def no_results(what: str) -> RuntimeError:
    return RuntimeError(f"{what}: Expected f to be a function that has non-empty output (got output = [])")


def linear_tangent(i: int, what: str, given: Any, wanted: Any) -> RuntimeError:
    return RuntimeError(
        f"tangent:{i} with {what} {given} in flattened pytree doesn't match the {what} {wanted} of the "
        "corresponding primal."
    )


_EXTENDING = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


def function_without_context() -> RuntimeError:
    return RuntimeError(
        "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...),"
        f" it must override the setup_context staticmethod. {_EXTENDING}"
    )


def function_rules(name: str, both: bool) -> RuntimeError:
    if both:
        return RuntimeError(
            f"You tried to vmap over {name}, but it has both generate_vmap_rule=True and an overridden "
            "vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap "
            f"staticmethod to avoid ambiguity. {_EXTENDING}"
        )
    return RuntimeError(
        f"You tried to vmap over {name}, but it does not have vmap support. Please override and "
        f"implement the vmap staticmethod or set generate_vmap_rule=True. {_EXTENDING}"
    )


def rule_dims(out_dims: Any, results: Any) -> RuntimeError:
    return RuntimeError(
        "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
        f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
        f"{_structure(out_dims)} but output has structure {_structure(results)}. For more details, please see "
        "https://pytorch.org/docs/main/notes/extending.func.html"
    )


def _structure(flat: Any) -> str:
    if not isinstance(flat, tuple | list):
        return "*"
    leaves = ",\n  ".join("*" * len(flat))
    return f"TreeSpec({type(flat).__name__}, None, [{leaves}])"


# -- modules and functions ---------------------------------------------------------------------------------------------


def models_differ(in_what: str, name: str = "stack_module_state") -> RuntimeError:
    tail = {"mode": "to have the same training/eval mode", "class": "to be of the same class"}[in_what]
    return RuntimeError(f"{name}: Expected all models {tail}.")


def has_buffers() -> RuntimeError:
    return RuntimeError(
        "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
    )


def in_functorch(name: str, instead: str) -> str:
    """Return the warning about a name of functorch."""
    return (
        "We've integrated functorch into PyTorch. As the final step of the integration, "
        f"`functorch.{name}` is deprecated as of PyTorch 2.0 and will be deleted in a future version of PyTorch >= "
        f"2.3. Please use `{instead}` instead; see the PyTorch 2.0 release notes and/or the `torch.func` migration "
        "guide for more details https://pytorch.org/docs/main/func.migrating.html"
    )


def dicts_kind(given: Any) -> ValueError:
    return ValueError(
        f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(given)}"
    )
