"""The modules that run exported programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import jax

import torchlike
from torchlike._compile.compiled import Compiled
from torchlike.export._record import TENSOR
from torchlike.export._saved import Saved, checked, is_input, result_of
from torchlike.jax._wrap import wrap

if TYPE_CHECKING:
    from torchlike.export._program import ExportedProgram

Places = dict[str, tuple[dict, str]]


class ExportedModule(torchlike.nn.Module):
    """A module that runs an exported program. Its parameters and buffers have their original names.

    Calls are compiled, as those of `torch.compile(module)`. Within other compiled calls and transforms, a call is one
    recorded operator. It has gradients if the program has them; without them, a call in grad mode is recorded too.
    """

    def __init__(self, saved: Saved, state: Mapping[str, Any], parameters: list[str]) -> None:
        super().__init__()
        for name, tensor in state.items():
            _place(self, name, tensor.detach().clone(), name in set(parameters))
        self.__dict__.update(_program=_Program(saved), _names=list(state))
        self._compile()

    @classmethod
    def over(cls, other: ExportedModule, program: ExportedProgram) -> ExportedModule:
        """Return a module that runs another program with the parameters and buffers of `other`."""
        made = cls(program._saved, {}, [])
        made.__dict__.update({name: other.__dict__[name] for name in ("_parameters", "_buffers", "_modules")})
        made.__dict__["_names"] = list(program.state_dict)
        made._compile()
        return made

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self._compile()  # a copy has its own weights

    def _compile(self) -> None:
        run = _Run(self._program, self._places())
        compiled = Compiled(run)
        compiled.options["name"] = "exported program"
        self.__dict__.update(_run=run, _call=compiled)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program.

        Args:
          args, kwargs: the inputs of the exported forward, with its sizes where they do not vary.

        Raises:
          ValueError: the inputs have another structure or dtype, or a constant differs.
          AssertionError: a size does not fit.
        """
        if torchlike.is_grad_enabled() and not self._program.has_gradient:
            return self._run(*args, **kwargs)
        return self._call(*args, **kwargs)

    def _places(self) -> Places:
        """Return the places of the program's weights: the dict and the key of each parameter and buffer."""
        places = {}
        for path, part in self.named_modules():
            for held in (part._parameters, part._buffers):
                places.update({f"{path}.{name}" if path else name: (held, name) for name in held})
        return {name: places[name] for name in self._names}

    def train(self, mode: bool = True) -> Any:
        """Raise NotImplementedError: the mode was fixed by the export."""
        raise NotImplementedError("Calling train() is not supported yet.")

    def eval(self) -> Any:
        """Raise NotImplementedError: the mode was fixed by the export."""
        raise NotImplementedError("Calling eval() is not supported yet.")


class _Program:
    """A saved program as an operator on the weights, the constants and the inputs. It never changes."""

    def __init__(self, saved: Saved) -> None:
        self.saved, self.operator = saved, _operator(saved)
        self.has_gradient = saved.exported.has_vjp()

    def __deepcopy__(self, memo: dict) -> _Program:
        return self


class _Run:
    """The call of a program with the weights that a module holds."""

    def __init__(self, program: _Program, places: Places) -> None:
        self._program, self._places = program, places

    def _followed(self) -> list:
        """Return the objects that guards of compiled calls must track."""
        return [*{id(held): held for held, _ in self._places.values()}.values()]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        saved = self._program.saved
        inputs = [leaf for leaf, example in zip(checked(saved, args, kwargs), saved.leaves) if is_input(example)]
        weights = [held[key] for held, key in self._places.values()]
        if saved.written:  # the backward pass may need the old elements of the buffers that are written below
            pairs = zip(self._places, weights)
            weights = [tensor.clone() if name in saved.written else tensor for name, tensor in pairs]
        constants = [torchlike.from_numpy(array).clone() for array in saved.constants.values()]  # new: never guarded
        found = self._program.operator(*weights, *constants, *inputs)
        if not saved.written and saved.out_spec.is_leaf() and saved.results == [TENSOR]:
            return found[0]
        result, changed = result_of(saved, found)
        with torchlike.no_grad():
            for name, tensor in changed.items():
                held, key = self._places[name]
                held[key].copy_(tensor)
        return result


def _operator(saved: Saved) -> Callable:
    """Return the program as an operator on the weights, the constants and the inputs."""

    def exported_program(*arrays: Any) -> list:
        (weights, constants, inputs), _ = jax.tree.unflatten(saved.exported.in_tree, arrays)
        return saved.exported.call(weights, constants, inputs)

    call = exported_program if saved.exported.has_vjp() else _without_gradient(exported_program)
    return wrap(call)


def _without_gradient(function: Callable) -> Callable:
    """Return a function whose gradient raises."""
    made = jax.custom_vjp(function)

    def pull(_: Any, cotangents: Any) -> Any:
        raise RuntimeError(
            "the exported program was saved without its gradient. Save it with "
            "torchlike.export.save(program, path, vjp_order=1)"
        )

    made.defvjp(lambda *arrays: (function(*arrays), None), pull)
    return made


def _place(module: torchlike.nn.Module, name: str, tensor: Any, is_parameter: bool) -> None:
    *path, last = name.split(".")
    for part in path:
        if part not in module._modules:
            module.add_module(part, torchlike.nn.Module())
        module = module._modules[part]  # type: ignore[assignment]
    if is_parameter:
        module.register_parameter(last, torchlike.nn.Parameter(tensor, requires_grad=tensor.is_floating_point()))
    else:
        module.register_buffer(last, tensor)
