"""Optax's optimizers as optimizers of PyTorch's kind."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from operator import add
from typing import TYPE_CHECKING, Any

import torchlike
from torchlike import Tensor
from torchlike._internal import (
    Name,
    NeedsValue,
    SparseTensor,
    Update,
    _engine,
    apply_update,
    current,
    share_memory,
    structure_of,
)
from torchlike.optim import _errors
from torchlike.optim._checks import check_lr
from torchlike.optim._state.layouts import Layout
from torchlike.optim._state.makers import PLAIN, Maker, by_name, numbers_of, plain
from torchlike.optim.optimizer import Optimizer, ParamsT, required, step_of

if TYPE_CHECKING:
    import optax


def from_optax(
    make: Callable[..., Any] | optax.GradientTransformation, params: ParamsT, /, **options: Any
) -> Optimizer:
    """Return an optimizer that updates parameters by an optax transformation.

    The optimizer has parameter groups, hooks and state dictionaries, and takes PyTorch's schedulers and `GradScaler`.
    A step is one program for each group. It is also captured by `torchlike.compile`.

    The hyperparameters of `make` are options of the groups; `learning_rate` is called `lr` there. Numbers with a
    fraction are inputs of the program, so a scheduler may change them at each step. If the transformation needs the
    value of one in Python code, and for integers, bools and strings, another value compiles another program. Other
    objects (schedules, masks, dtypes) belong to the optimizer: groups and state dictionaries do not contain them.

    The transformation sees the parameters of a group as a dictionary, by `param_names` if the group has names, and by
    "0", "1" and so on otherwise. These are the parameters that require grad. A parameter that is frozen at first joins
    at the first step with it. A parameter without a gradient keeps its value and state, as in PyTorch; the
    transformation sees zeros as its gradient. Counts of steps belong to the group, so they include steps in which only
    other parameters had gradients. PyTorch counts for each parameter.

    `state[param]` has the arrays of a parameter under their paths, such as "0.mu", and under "0.count" a tensor that
    all parameters of the group share. If `step` gets a closure, the transformation gets the loss as `value`.

    Args:
      make: a function of hyperparameters that returns a transformation, such as `optax.lion`, or a transformation. The
        hyperparameters of a ready transformation are fixed: schedulers raise RuntimeError.
      params: parameters or groups of parameters, each group on one device.
      **options: the hyperparameters of `make`.

    Returns:
      The optimizer.

    Raises:
      TypeError: `make` has no such hyperparameter, or is neither a function nor a transformation.
      ValueError: a hyperparameter without a default is missing in a group.

    >>> import optax, torchlike
    >>> p = torchlike.nn.Parameter(torchlike.tensor([1.0, -2.0]))
    >>> optimizer = torchlike.optim.from_optax(optax.lion, [p], learning_rate=0.5, weight_decay=0.0)
    >>> p.square().sum().backward()
    >>> optimizer.step()
    >>> p.tolist()
    [0.5, -1.5]
    """
    return OptaxOptimizer(make, params, options)


class OptaxOptimizer(Optimizer):
    """An optimizer that updates parameters by an optax transformation; see `from_optax`."""

    def __init__(self, make: Any, params: ParamsT, options: dict[str, Any]) -> None:
        import optax

        if callable(make):
            given, names = by_name(make, options)
        elif not isinstance(make, optax.GradientTransformation):
            kind = type(make).__name__
            raise TypeError(f"make must be a function or an optax.GradientTransformation, but got {kind}")
        elif options:
            raise TypeError(f"the hyperparameters of a ready transformation are fixed, but got {', '.join(options)}")
        else:
            given, names = {}, {}
        self._make, self._names = make, names
        defaults = {name: value for name, value in given.items() if value is required or isinstance(value, PLAIN)}
        self._others = {name: value for name, value in given.items() if name not in defaults}
        super().__init__(params, defaults)

    def _set_up(self) -> None:
        super()._set_up()
        self._layouts: dict[int, Layout] = {}
        self._values_needed: set[str] = set()  # hyperparameters with fractions that the program cannot take as inputs

    def __getstate__(self) -> dict[str, Any]:
        made = {name: getattr(self, name) for name in ("_make", "_names", "_others")}
        return {**super().__getstate__(), **made}

    def _loaded(self, param: Tensor, value: Any) -> Any:
        # Unlike `Optimizer`, keep the dtypes: the state has counts, and moments in other precisions.
        return {name: each.to(param.device) if isinstance(each, Tensor) else each for name, each in value.items()}

    # --- groups -------------------------------------------------------------------------------------------------------

    def _check_group(self, group: dict[str, Any]) -> None:
        if "learning_rate" in group:
            group["lr"] = group.pop("learning_rate")
        if not self._is_settable(group):
            raise self._fixed_lr()
        for name in self._names.keys() & group.keys():
            group[name] = plain(group[name])
            if not isinstance(group[name], PLAIN):
                raise TypeError(f"the option {name} of a group must be a number, string, bool or None")
        super()._check_group(group)
        if isinstance(group.get("lr"), (int, float, Tensor)):
            check_lr(group["lr"])

    def _is_settable(self, group: dict[str, Any]) -> bool:
        """Return False if a group has a learning rate that the transformation does not read."""
        return "lr" not in group or "lr" in self._names

    def _check_scheduled(self) -> None:
        if any("lr" not in group for group in self.param_groups):
            raise self._fixed_lr()

    def _fixed_lr(self) -> RuntimeError:
        return RuntimeError(
            "the learning rate of this optimizer is part of its optax transformation and cannot be changed. "
            "Pass from_optax a function and a number: from_optax(optax.adamw, params, learning_rate=1e-3), or "
            "from_optax(lambda learning_rate: optax.chain(...), params, learning_rate=1e-3)."
        )

    def _maker(self, group: dict[str, Any], only: str | None = None) -> Maker:
        """Return the maker of a group. With `only`, at most this hyperparameter is a number of the step."""
        runtime = [name for name in self._names if self._is_runtime(name, group.get(name)) and only in (None, name)]
        options = {name: group.get(name, self._others.get(name)) for name in self._names if name not in runtime}
        fixed = [(self._names[n], x.item() if isinstance(x, Tensor) else x) for n, x in options.items()]
        return Maker(self._make, tuple(fixed), tuple(runtime), tuple([self._names[name] for name in runtime]))

    def _is_runtime(self, name: str, option: Any) -> bool:
        is_number = isinstance(option, (float, Tensor)) or (name == "lr" and type(option) is int)
        return is_number and name not in self._values_needed

    # --- the step -----------------------------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once.

        Args:
          closure: a function that recomputes the loss and its gradients, and returns the loss. The transformation gets
            the loss as `value`.

        Returns:
          The result of `closure`, or None.
        """
        loss = None
        if closure is not None:
            with torchlike.enable_grad():
                loss = closure()
        self._hold_groups()
        self._step_groups(loss, {})
        return loss

    def _step_unless(self, found: Mapping[Any, Tensor]) -> bool:
        """Do a step that the device skips if a flag in `found` is not zero, and return True, or False on the CPU."""
        params = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        if step_of(self) is not _STEP or any([p.device.type in ("cpu", "meta") for p in params]):
            return False
        if "_noted_step" in vars(self):
            self._opt_called = True
        self._hold_groups()
        self._step_groups(None, found)
        _engine.boundary()
        return True

    def _step_groups(self, loss: Any, found: Mapping[Any, Tensor]) -> None:
        extra = {}
        if isinstance(loss, Tensor) and loss.numel() == 1:
            extra["value"] = loss.detach().reshape(())
        # Signals are deferred, so an interrupt cannot leave parameters and state inconsistent.
        with torchlike.no_grad(), _engine.uninterrupted():
            for index, group in enumerate(self.param_groups):
                if not self._is_settable(group):
                    raise self._fixed_lr()
                if any([p.grad is not None for p in group["params"]]):
                    self._step_group(index, group, extra, [*found.values()])

    def _step_group(self, index: int, group: dict[str, Any], extra: dict[str, Tensor], found: list[Tensor]) -> None:
        device = next(p.device for p in group["params"] if p.grad is not None)
        given = [each.to(device) for each in extra.values()]
        if found:
            given.append(functools.reduce(add, [flag.to(device) for flag in found]))
        prepare = functools.partial(self._prepared, index, group, tuple(extra), bool(found), given)
        try:
            layout, update, plan = prepare()
        except NeedsValue as error:
            self._find_needed(group, prepare, error)
            layout, update, plan = prepare()
        grads = [p.grad for p in layout.params if p.grad is not None]
        apply_update(update, plan, self._numbers(index, group, layout), layout.params, grads, layout.state, given)

    def _prepared(
        self, index: int, group: dict[str, Any], extra: tuple, skips: bool, given: list[Tensor], only: str | None = None
    ) -> tuple[Layout, Update, Any]:
        """Return the layout, the update and the plan of a group."""
        layout = self._layout(index, group, self._maker(group, only))
        grads = [p.grad for p in layout.params]
        if any([grad.__class__ is SparseTensor for grad in grads]):
            raise _errors.no_sparse_gradients("An optax transformation")
        stepped = tuple([grad is not None for grad in grads])
        update = Update(layout.recipe, layout.structure, stepped, extra, skips)
        return layout, update, layout.plan(update, tuple([t._aval for t in given]))

    def _find_needed(self, group: dict[str, Any], prepare: Callable, error: NeedsValue) -> None:
        """Find the hyperparameters whose values the transformation needs in Python code."""
        needed = set()
        for name in self._maker(group).names:
            try:
                prepare(only=name)
            except NeedsValue:
                needed.add(name)
        if not needed:
            raise error.__cause__ or error
        self._values_needed |= needed

    def _numbers(self, index: int, group: dict[str, Any], layout: Layout) -> Any:
        """Return the numbers of this step. A captured call asks for them again at each replay."""
        ask = functools.partial(numbers_of, group, layout.maker.names)
        capture = current().capture
        if capture is None:
            return ask()
        capture.guards.append(lambda: self._layouts.get(index) is layout and self._is_left(layout, group))
        return capture.ask(ask, layout)

    def _is_left(self, layout: Layout, group: dict[str, Any]) -> bool:
        return self._is_settable(group) and layout.holds(self._maker(group), self._seen(group), self.state)

    def _seen(self, group: dict[str, Any]) -> list[Tensor]:
        """Return the parameters of a group that the transformation sees."""
        return [p for p in group["params"] if p.requires_grad or p.grad is not None or p in self.state]

    # --- the state ----------------------------------------------------------------------------------------------------

    def _layout(self, index: int, group: dict[str, Any], maker: Maker) -> Layout:
        """Return the layout of a group, and create missing state."""
        params, known = self._seen(group), self._layouts.get(index)
        if known is not None and known.holds(maker, params, self.state):
            return known
        self._check_params(params)
        seen = {id(p) for p in params}
        every = group.get("param_names") or map(str, range(len(group["params"])))
        names = [Name(name) for name, p in zip(every, group["params"]) if id(p) in seen]
        made = Layout(maker, structure_of(maker.recipe(), names, params), params)
        if any([f"hyperparams.{name}" in leaf.name for leaf in made.structure.leaves for name in maker.runtime]):
            raise TypeError("pass from_optax the function itself instead of optax.inject_hyperparams(function)")
        made.fill(self.state, numbers_of(group, maker.names))
        self._layouts[index] = made
        return made

    def _check_params(self, params: list[Tensor]) -> None:
        if len({p.device for p in params}) > 1:
            raise ValueError("the parameters of a group must be on one device. Make a group for each device.")
        if any(p.shape != p._aval.shape for p in params):  # a `DTensor`: this process has a part of it
            raise _errors.unsupported_option("from_optax", "a divided parameter")
        if share_memory(params, []):
            raise _errors.unsupported_option("from_optax", "parameters that share memory")


_STEP = OptaxOptimizer.step
