"""Captures for ahead-of-time compiling: the call is captured as usual, and its program is recorded but not run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._compile import recording
from torchlike._compile.arguments import Signature
from torchlike._compile.attempt import Attempt
from torchlike._compile.differentiable import Gradient
from torchlike._compile.operator_replay import DifferentiableReplay
from torchlike._compile.purity import Refusal
from torchlike._compile.reach import Reach
from torchlike._compile.replay import STATE, Replay, put_back
from torchlike._dtypes.devices import device as Device
from torchlike._engine import Value
from torchlike._engine.ahead import targets
from torchlike._engine.ahead.lowering import Lowered, Recorded
from torchlike._engine.ahead.session import Session, recorded
from torchlike._engine.trace.capture import Capture, Host, WholeTrace
from torchlike._engine.trace.plan import Plan, specs
from torchlike._engine.xla.target import compiling_for
from torchlike._errors.callers import users_place
from torchlike._ops.linalg.products import whole_step

_RECORDED = "it is compiled ahead of time"


class _Unrun(Replay):
    """A captured call whose program was recorded and does not run."""

    def _make(self, capture: Capture, outputs: list[Value]) -> None:
        self._arrange({id(what) for kind, what, _ in self._writes if kind == STATE})
        live = tuple([value.slot for value in outputs])
        self.recorded = recorded(self.device, capture.trace, live, self._order, lambda: whole_step)


class _UnrunDifferentiable(DifferentiableReplay):
    """A captured call whose programs, for the forward and the backward pass, were recorded and do not run."""

    def _recorded(self, trace: WholeTrace, given: list[int]) -> None:
        self.recorded = [_of_plan(self.device, plan) for plan in (self._forward, self._backward)]


def _of_plan(device: Device, plan: Plan) -> Recorded:
    function = lambda given, held, packs: plan.function(*held, *packs)
    arrays, numbers = specs(plan.inputs, ()), specs((), plan.scalars)
    return Recorded(
        plan.name, device.type, device.index or 0, function, ([], arrays, numbers), during=lambda: whole_step
    )


class _SessionRecording(recording.Recording):
    replays = _Unrun, DifferentiableReplay  # a differentiable call becomes one operator of the pending work


class InSession(Attempt):
    """The capture of one call in a session. The operators of the call stay pending, in case an element is read."""

    recordings = _SessionRecording
    assigns = False

    def __init__(self, session: Session, *given: Any) -> None:
        super().__init__(*given)
        self.session = session
        self.is_recorded = False

    def result(self) -> Any:
        returned = super().result()
        self.session.check()
        return returned

    def _make_replay(self, made: recording.Recording, gradient: Gradient | None) -> tuple[Replay, str | None]:
        replay, reason = made.made(gradient)
        if not isinstance(replay, _Unrun):
            return replay, reason
        self.session.programs.append(replay.recorded)
        self.is_recorded = True
        raise Refusal(_RECORDED)  # the operators become the pending trace of their device

    def _stopped(self, reason: str) -> None:
        assert self.capture is not None
        if self.is_recorded:
            self.session.skip(self.capture.device)
            return
        name = _errors.compiling.named(self.function)
        self.session.notes.append(f"{name} is compiled, but its call is not one program: {users_place()}: {reason}")
        if self.session.left <= 0:  # the rest of the call is not part of a training step
            self.session.cut(self.capture.device)
            self.session.check()
        super()._stopped(reason)


class _Saved(dict[int, Host]):
    """The host state that a capture changes. Each state is saved before its first change."""

    def __init__(self) -> None:
        super().__init__()
        self.undo: list[Callable[[], Any]] = []

    def __setitem__(self, key: int, host: Host) -> None:
        if key not in self:
            self.undo.append(host.kept())
        super().__setitem__(key, host)


class _Undone(Capture):
    """A capture whose effects are undone."""

    def __init__(self, device: Device, refuse: Callable[[str], None]) -> None:
        super().__init__(device, refuse)
        self.changed = self.saved = _Saved()

    def roll_back(self) -> None:
        """Restore the tensors, gradients and host state from before the call."""
        for held, value, version, *_ in self.written.values():
            storage = held()
            if storage is not None and value is not None:
                storage.value, storage.version = value, version
        for held, _, grad in self.grads.values():
            tensor = held()
            if tensor is not None:
                tensor._grad = grad
        put_back(self.saved.undo)


class _TrialRecording(recording.Recording):
    replays = _Unrun, _UnrunDifferentiable


class _Trial(Attempt):
    """The capture of one call that leaves no effects. `programs` are its program and that of its backward pass."""

    captures, recordings = _Undone, _TrialRecording
    assigns = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.programs: list[Recorded] = []

    def run(self) -> list[Recorded]:
        """Capture the call, undo its effects and return its programs."""
        try:
            self.result()
        finally:
            if isinstance(self.capture, _Undone):
                self.capture.roll_back()
                for tensor, edge, storage in self.before:
                    tensor._edge, tensor._storage = edge, storage
        return self.programs

    def _capture_call(self, before: Reach) -> Any:
        tensors = [*self.signature.tensors, *before.tensors.values()]
        self.before = [(t, t._edge, t._storage) for t in tensors]
        return super()._capture_call(before)

    def _make_replay(self, made: recording.Recording, gradient: Gradient | None) -> tuple[Replay, str | None]:
        replay, reason = made.made(gradient)
        if reason is not None:
            raise Refusal(reason)
        assert isinstance(replay, _Unrun | _UnrunDifferentiable)
        found = replay.recorded
        self.programs = found if isinstance(found, list) else [found]
        raise Refusal(_RECORDED)

    def _stopped(self, reason: str) -> None:
        if not self.programs:
            super()._stopped(reason)


class ForTarget:
    """A compiled function for ahead-of-time compiling for a target.

    Args:
      function: the function that is compiled.
      target: the target, or its name.
    """

    def __init__(self, function: Callable, target: str | targets.Target) -> None:
        self.function = function
        self.target = targets.find(target) if isinstance(target, str) else target

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Capture a call with these arguments and lower its program for the target.

        The call does not run, and its effects on tensors, gradients, optimizers, schedulers and generators are undone.
        Other effects of the Python code, such as printing, remain, and the code may run twice. At the first step of an
        optimizer, the state that it creates remains too, with its initial values.

        If a result requires grad, its backward pass is a second program, the attribute `backward`.

        Raises:
          torch._dynamo.exc.Unsupported: the call cannot be captured whole. The message gives the reason and the line.
        """
        with compiling_for(self.target.platform):
            signature = Signature(args, kwargs)
            if not signature.is_followed:
                self._refuse("an argument has attributes or hooks")
            try:
                programs = _Trial(self.function, signature, args, kwargs, self._refuse).run()
            except _errors.compiling.Unsupported:
                # A first call may create attributes, for example of an optimizer. A second call then finds them.
                programs = _Trial(self.function, Signature(args, kwargs), args, kwargs, self._refuse).run()
        backward = programs[1].lower(self.target) if programs[1:] else None
        return programs[0].lower(self.target, backward)

    def _refuse(self, reason: str) -> None:
        raise _errors.compiling.not_ahead(self.function, reason)
