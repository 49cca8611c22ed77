"""PyTorch's error messages about the operators of `torch.library`."""

from __future__ import annotations

from typing import Any


def no_kernel(name: str, type: str, types: list[str]) -> NotImplementedError:
    if type == "meta":
        return NotImplementedError(
            f"{name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
            "registered. Add one with torch.library.register_fake."
        )
    return NotImplementedError(
        f"Could not run '{name}' with arguments from the '{type.upper()}' backend. '{name}' is "
        f"only available for these backends: [{', '.join(each.upper() for each in types)}]."
    )


def defined_twice(schema: Any) -> RuntimeError:
    return RuntimeError(
        f"Tried to register an operator ({schema}) with the same name and overload name "
        "multiple times. Each overload's schema should only be registered with a single call to def()."
    )


def bad_schema(text: str) -> RuntimeError:
    return RuntimeError(f"expected 'name(arguments) -> results' as the schema of an operator but found:\n{text}")


def unknown_schema_type(kind: str, schema: str) -> RuntimeError:
    return RuntimeError(f"unknown type specifier: {kind!r}\n{schema}")


def no_cast(kind: type) -> str:
    shown = str(kind).replace("torchlike", "torch")
    return (
        f"Unable to cast Python instance of type {shown} to C++ type '?' (#define "
        "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
    )


def wrong_argument(schema: Any, argument: Any, place: int, given: Any, reason: str) -> RuntimeError:
    value = repr(given)
    return RuntimeError(
        f"{schema.name}() Expected a value of type '{argument.type_name}' for argument '{argument.name}' but instead "
        f"found type '{type(given).__name__}'.\nPosition: {place}\nValue: {value}\nDeclaration: {schema}\n"
        f"Cast error details: {reason}"
    )


def missing_argument(name: str, argument: str, schema: str) -> RuntimeError:
    return RuntimeError(f"{name}() is missing value for argument '{argument}'. Declaration: {schema}")


def unknown_argument(name: str, argument: str, schema: str) -> RuntimeError:
    return RuntimeError(f"Unknown keyword argument '{argument}' for operator '{name}'. Schema: {schema}")


def too_many_arguments(name: str, most: int, given: int, schema: str) -> RuntimeError:
    return RuntimeError(
        f"{name}() expected at most {most} argument(s) but received {given} argument(s). Declaration: {schema}"
    )


def too_many_positional(name: str, most: int, given: int, schema: str) -> RuntimeError:
    return RuntimeError(
        f"{name}() takes {most} positional argument(s) but {given} was/were given.  Declaration: {schema}"
    )


def returns_alias(name: str, module: Any) -> RuntimeError:
    return RuntimeError(
        f"{name} (with implementation in {module}): The output of this custom operator (1) must not also be an input "
        "to this custom operator and (2) may not alias any inputs to this custom operator or other returns. The most "
        "common way to trigger this error is if we have y = custom_op(x) and y and x are the same Tensor. Please "
        "instead return a clone of the offending output tensor(s) (e.g. return x.clone()) or refactor the custom "
        "operator to not return y."
    )


def no_fake(op: Any, name: str) -> RuntimeError:
    return RuntimeError(
        f"There was no fake impl registered for {op}. This is necessary for torch.compile/export/fx tracing to work. "
        f"Please use `{name}.register_fake` to add an fake impl."
    )


def no_formula(op: Any) -> RuntimeError:
    return RuntimeError(
        f"Trying to backward through {op} but no autograd formula was registered. "
        "Please use register_autograd to add one."
    )


def gradient_structure(found: Any, wanted: Any) -> RuntimeError:
    return RuntimeError(
        f"Expected the return from backward to be of the same structure as the inputs. Got: {found} "
        f"(return from backward), {wanted} (inputs)"
    )


def not_functional(op: Any, schema: Any) -> RuntimeError:
    return RuntimeError(
        f"Cannot register autograd formula for non-functional operator {op} with schema {schema}. Please create a "
        "functional operator and register an autograd formula for that."
    )


def keyword_only_tensors(schema: Any) -> NotImplementedError:
    return NotImplementedError(
        f"custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: {schema}"
    )


def context_for_meta(name: str, place: str) -> RuntimeError:
    return RuntimeError(
        f"{name} ({place}): You're trying to run this operator with meta Tensors (as opposed to FakeTensors), but this "
        "operator may return an output Tensor with data-dependent shape. Meta Tensors don't support operators with "
        "outputs that have data-dependent shapes but FakeTensors do. If your operator does not return an output with "
        "data-dependent shape, make sure the FakeTensor and/or meta kernel does not call torch.library.get_ctx(). "
        "Otherwise, please use FakeTensors."
    )


def unsupported_annotation(what: str, signature: Any) -> ValueError:
    shown = str(signature).replace("torchlike.", "torch.")
    return ValueError(f"infer_schema(func): {what} Got func with signature {shown})")
