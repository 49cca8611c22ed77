"""The capture of one call of a compiled function: a recording, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import getrefcount
from typing import Any

from torchlike._compile import recording
from torchlike._compile.arguments import Signature
from torchlike._compile.assignments import Assignments, Rest, Slot, first_difference, found_assignments
from torchlike._compile.differentiable import Gradient, cut_off
from torchlike._compile.guards import Guards
from torchlike._compile.profiling_hook import Watch
from torchlike._compile.purity import Refusal
from torchlike._compile.reach import Reach
from torchlike._compile.replay import Replay
from torchlike._compile.results import Results
from torchlike._dtypes import modes as _modes
from torchlike._dtypes.recorder import leave
from torchlike._engine import Value, boundary
from torchlike._engine.trace.capture import Capture, Sample
from torchlike._engine.trace.ownership import LOCAL
from torchlike._errors.callers import Place, users_place
from torchlike._sparse import members
from torchlike._tensor.tensor import Tensor


class GuardedRecording:
    """A recording with its guards."""

    __slots__ = ("_assigned", "_containers", "_outside", "assigns", "guards", "others", "replay", "runs")

    def __init__(self, guards: Guards, replay: Replay, signature: Signature, reach: Reach) -> None:
        self.guards, self.replay = guards, replay
        self.others = signature.others  # kept alive, since their ids are in the key
        self.runs = 0
        self._assigned = replay.assigned
        self.assigns = bool(replay.assigned.slots)  # whether the call assigns to attributes, entries or elements
        self._outside = reach.containers()  # kept alive by the guards
        self._containers = self._known(signature.containers)

    def _known(self, containers: list[int]) -> list[int | None]:
        return [x if x in self._outside else None for x in containers]

    def shares_containers(self, containers: list[int]) -> bool:
        """Return whether the arguments share the same lists and dictionaries with guarded state as at the capture."""
        return self._known(containers) == self._containers

    def has_same_contents(self, tensors: Sequence[Tensor], containers: list[int]) -> bool:
        """Return whether the locations that the call assigns to have the contents from before the capture."""
        return not self.assigns or self._assigned.match(tensors, containers)

    def changed(self, signature: Signature) -> str | None:
        """Describe the first guard that fails, or return None if all pass."""
        found = self.guards.changed() or self._assigned.changed() or self.replay.changed(signature.tensors)
        if found is None and not self.has_same_contents(signature.tensors, signature.containers):
            return "the memory of a tensor in an attribute"
        if found is None and not self.shares_containers(signature.containers):
            return "the set of containers that arguments share with the state"
        return found


class Attempt:
    """The capture of one call.

    Args:
      function: the function to call.
      signature: the signature of the call's arguments.
      refuse: a function that is called with the reason when the capture fails. It may raise.
    """

    captures: type[Capture] = Capture
    recordings: type[recording.Recording] = recording.Recording
    assigns = True  # whether the call may assign to attributes, entries and elements

    def __init__(
        self, function: Callable, signature: Signature, args: tuple, kwargs: dict, refuse: Callable[[str], None]
    ) -> None:
        self.function, self.signature, self.args, self.kwargs = function, signature, args, kwargs
        self.refuse = refuse
        self.kept: GuardedRecording | None = None  # the recording
        self.capture: Capture | None = None

    def result(self) -> Any:
        """Call the function and return its result. If the call can be captured, set `kept` to the recording."""
        try:
            before = self._walk(Reach())
        except Refusal as reason:
            self.refuse(str(reason))
            return self.function(*self.args, **self.kwargs)
        return self._capture_call(before)

    def _capture_call(self, before: Reach) -> Any:
        """Call the function under capture and return its result. `before` is the state that the code reaches."""
        state = list(before.tensors.values())
        given = self.signature.tensors
        devices = [t.device for t in [*given, *state]] or [_modes.get_default_device()]
        if any(device.type == "meta" for device in devices):  # there is nothing to compute
            self.refuse("it works on meta tensors")
            return self.function(*self.args, **self.kwargs)
        views = [(t, t._read(False)) for t in state if t._chain is not None]
        seen = [None if t._chain is None else t._pair()[0] for t in given]  # before the flush: reading a view records
        boundary()
        _make_distinct([*given, *state, *before.grads.values()])
        shown = [t._pair()[0] if value is None else value for t, value in zip(given, seen)]
        self.capture = capture = self._capture(before, devices[0], state, views, shown)
        caches = [(t, t._cache) for t in [*given, *state] if t._chain is not None]
        watch, modes = Watch(capture.stop), self.signature.modes
        with capture, cut_off(self.signature.tensors):
            capture.histories = [(t, t._edge, t._storage) for t in [*self.signature.tensors, *state]]
            with watch:
                returned = self.function(*self.args, **self.kwargs)
            replay = None if capture.reason else self._keep(capture, before, watch, returned, modes, caches)
        if replay is not None:
            replay.first(self.signature.tensors)
        return returned

    def _capture(
        self, before: Reach, device: Any, state: list[Tensor], views: list[tuple[Tensor, Value]], given: list[Value]
    ) -> Capture:
        """Return the capture of the call. `given` are the values of its argument tensors."""
        capture = self.captures(device, self._stopped)
        capture.given, capture.views = given, views
        held = [t._storage.value for t in [*state, *before.grads.values()]]
        capture.known = {id(v) for v in [*given, *(v for _, v in views), *held]}
        return capture

    def _keep(
        self, capture: Capture, before: Reach, watch: Watch, returned: Any, modes: tuple, caches: list
    ) -> Replay | None:
        """Make a recording and return its replay, or stop the capture and return None.

        After a stopped capture, the trace of the call runs like any other trace. `caches` are the caches that views had
        before the call.
        """
        try:
            after, slots = self._unchanged(before, watch, modes)
            self._check_containers(returned, before)
            outside = _storages(self.signature.tensors, before, capture)
            after, assigned = self._assigned(slots, before, after, watch)
            results = Results(returned, self.signature.tensors, before.tensors, before.grads, outside, assigned)
            state = [t for key, t in {**before.tensors, **after.tensors}.items() if key not in assigned.entries]
            made = self.recordings(capture, results, self.signature.tensors, state)
            made.check()
            gradient, late = None, None
            if results.roots:
                known = len(capture.repeated)
                with watch:
                    gradient = Gradient(capture.trace, results.roots, before.has)
                try:
                    after = self._check_backward(before, watch, modes, assigned, capture.repeated[known:])
                except Refusal as refusal:
                    late = str(refusal)
            _forget_reads([*caches, *((view, None) for view in results.views)])
            replay, reason = self._make_replay(made, gradient)
        except Refusal as refusal:
            capture.stop(str(refusal))
            return None
        finally:
            leave(capture)
        refusal_reason = reason or late
        if refusal_reason:
            self.refuse(refusal_reason)
        else:
            self.kept = GuardedRecording(
                Guards(after, [*after.tensors.values()], replay.read), replay, self.signature, after
            )
        return replay

    def _check_backward(
        self, before: Reach, watch: Watch, modes: tuple, assigned: Assignments, repeated: Sequence
    ) -> Reach:
        """Check the backward pass, which has run hooks and backward functions. Return the state that the code reaches.

        `repeated` is the host work of the backward pass.
        """
        after, slots = self._unchanged(before, watch, modes)
        if not assigned.is_same(slots):
            raise Refusal("its backward pass assigns to an attribute")
        after = self._without(assigned, after, watch)
        if any(isinstance(x, Sample) for x in repeated):
            raise Refusal("its backward pass samples random numbers")
        return after

    def _make_replay(self, made: recording.Recording, gradient: Gradient | None) -> tuple[Replay, str | None]:
        return made.made(gradient)

    def _unchanged(self, before: Reach, watch: Watch, modes: tuple) -> tuple[Reach, list[Slot]]:
        """Check that the call changed nothing that it depends on, except by assignments.

        Return the state that the executed code reaches, and the assignments.
        """
        if watch.refused is not None:
            raise Refusal(watch.refused)
        now = Signature(self.args, self.kwargs)
        if now.modes != modes:
            raise Refusal("it changes a mode (grad mode, default dtype or device, matmul precision)")
        if now.key != self.signature.key or [*map(id, now.tensors)] != [*map(id, self.signature.tensors)]:
            raise Refusal("it changes an argument")
        after = self._walk(Reach(watch.codes, watch.is_looked_at, watch.is_asked))
        unknown = next((c for c in watch.codes if not (c in before.found_codes and c in after.found_codes)), None)
        if unknown is not None:
            place = Place(unknown.co_filename, unknown.co_firstlineno)
            what = f"{unknown.co_qualname} ({place})"
            raise Refusal(f"it calls {what}, which guards cannot track")
        slots, explained = found_assignments(after, before) if self.assigns else ([], ())
        changed = first_difference(after, before, explained)
        if changed is not None:
            raise Refusal(f"it changes {changed}")
        for key, (state, path) in before.sources.items():
            if key in after.sources and after.sources[key][0] != state:
                raise Refusal(f"it samples random numbers from {path}")
        return after, slots

    def _assigned(self, slots: list[Slot], before: Reach, after: Reach, watch: Watch) -> tuple[Reach, Assignments]:
        """Check the assignments of the call, and return them after the state that the executed code reaches.

        The returned state excludes the locations that the call assigns to.
        """
        assigned = Assignments(slots)
        if not slots:
            return after, assigned
        rest = self._without(assigned, after, watch)
        containers = self.signature.containers
        assigned.check(before, rest, self.signature.tensors, containers)
        assigned.check_new(before, containers)
        return rest, assigned

    def _without(self, assigned: Assignments, after: Reach, watch: Watch) -> Any:
        """Return the state that the executed code reaches without the locations that the call assigns to."""
        if not assigned.slots:
            return after
        return self._walk(Rest(assigned.holes, watch.codes, watch.is_looked_at, watch.is_asked))

    def _check_containers(self, returned: Any, before: Reach) -> None:
        """Refuse a result that contains a container from outside the call, or the same container twice.

        A replay returns new containers.
        """
        todo, seen = [returned], {*self.signature.containers}
        while todo:
            x = todo.pop()
            if isinstance(x, list | dict):
                if id(x) in seen or before.has(x):
                    raise Refusal(f"it returns a {type(x).__name__} that is also referenced elsewhere")
                seen.add(id(x))
            todo += x.values() if isinstance(x, dict) else x if isinstance(x, list | tuple) else ()

    def _walk(self, reach: Reach) -> Reach:
        roots = [(self.function, getattr(self.function, "__name__", "the function"))]
        roots += [(x, "an argument") for x in self.signature.others]
        return reach.walk(*roots)

    def _stopped(self, reason: str) -> None:
        self.refuse(f"{users_place()}: {reason}")


def _storages(arguments: Sequence[Tensor], before: Reach, capture: Capture) -> set[int]:
    """Return the ids of the storages from before the call: of its arguments, of the state, and of their gradients."""
    grads = [grad for *_, grad in capture.grads.values() if grad is not None]
    tensors = [*arguments, *before.tensors.values(), *before.grads.values(), *grads]
    return {id(member._storage) for t in tensors for member in members(t)}


def _forget_reads(caches: list[tuple[Tensor, Any]]) -> None:
    """Let views forget the values that they read during a captured call, which would be results of its program."""
    for view, cache in caches:
        if view._cache is not cache:
            is_outdated = cache is not None and cache[0] != view._storage.version
            view._cache = cache if is_outdated else None


def _make_distinct(tensors: list[Tensor]) -> None:
    """Give each storage its own `Value`, because storages that share one now may not share it at the next call."""
    for storage in {id(t._storage): t._storage for t in tensors if not t._storage.shared}.values():
        value = storage.value
        if value.array is not None and getrefcount(value) > LOCAL:
            storage.value = value.twin()
            storage.value.stamp = value.stamp
