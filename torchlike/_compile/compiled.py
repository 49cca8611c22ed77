"""A compiled function: recorded whole at its first call of a signature, then run as one executable."""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable
from sys import getrefcount
from typing import Any

from torchlike import _device, _errors, _modes
from torchlike._compile import recording
from torchlike._compile.arguments import Signature
from torchlike._compile.differentiable import Gradient, cut_off
from torchlike._compile.guards import Guards
from torchlike._compile.reach import Reach
from torchlike._compile.reach import Unfollowed as UnfollowedState
from torchlike._compile.replay import Replay
from torchlike._compile.results import Results
from torchlike._compile.results import Unfollowed as UnfollowedResult
from torchlike._compile.watch import Watch
from torchlike._core import Value, boundary
from torchlike._core import trace as _trace
from torchlike._core.capture import Capture
from torchlike._core.explain import Function, compiled
from torchlike._core.place import Place, users_place
from torchlike._core.refcounts import LOCAL
from torchlike._recorder import current, leave
from torchlike._tensor import Tensor
from torchlike.nn import Module

PATIENCE = 4  # recordings of one signature that did not serve, after which its calls are no longer recorded whole


class Stance:
    """How all compiled functions behave (`torchlike.compiler.set_stance`)."""

    name = "default"


stance = Stance()


class Kept:
    """A recording that serves while its guards hold."""

    __slots__ = ("guards", "others", "replay", "runs")

    def __init__(self, guards: Guards, replay: Replay, others: list) -> None:
        self.guards, self.replay, self.others = guards, replay, others  # others: held, since their ids are in the key
        self.runs = 0


class Compiled:
    """`function`, recorded whole and run as one executable for each signature of its arguments. Its `__dict__` is the
    user's, as a function's is."""

    __slots__ = ("__dict__", "__weakref__", "_came", "_lock", "_torchdynamo_orig_callable", "dynamic", "fullgraph",
                 "function", "is_off", "kept", "limit", "options", "reasons", "verify_every")  # fmt: skip

    def __init__(self, function: Callable, fullgraph: bool = False, dynamic: bool | None = None, limit: int = 8,
                 verify_every: int = 0, is_off: bool = False) -> None:  # fmt: skip
        if not isinstance(function, Module):
            functools.update_wrapper(self, function)
        self.function, self.fullgraph, self.dynamic, self.limit = function, fullgraph, dynamic, limit
        self.verify_every, self.is_off = verify_every, is_off
        self._torchdynamo_orig_callable = function
        self.options: dict[str, Any] = {}  # what `compile` was called with
        compiled.add(self)
        self._came: set[tuple] = set()  # signatures that were met, and wait for their second call
        self.kept: dict[tuple, list[Kept]] = {}
        self.reasons: dict[tuple, list[str]] = {}  # by signature, why its recordings did not serve
        self._lock = threading.RLock()

    def _followed(self) -> list:
        """What a recorded call reaches through a compiled function."""
        return [self.function, self.__dict__]

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else functools.partial(self, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (current().capture is not None or self.is_off or stance.name == "force_eager" or not _trace.limit.length
                or current().watches or _trace.latest.made is not None):  # fmt: skip
            return self.function(*args, **kwargs)
        signature = Signature(args, kwargs)
        if not signature.is_followed:
            return self.function(*args, **kwargs)
        tensors = signature.tensors
        for one in self.kept.get(signature.key, ()):
            if one.guards.hold() and one.replay.holds(tensors):
                one.runs += 1
                if self.verify_every and one.runs % self.verify_every == 0:
                    return self._verify(one, signature, args, kwargs)
                given = signature.given
                return one.replay.run([t._pair()[0] for t in tensors] if given is None else given, tensors)
        return self._record(signature, args, kwargs)

    # -- recording -----------------------------------------------------------------------------------------------------

    def _record(self, signature: Signature, args: tuple, kwargs: dict) -> Any:
        if stance.name == "fail_on_recompile":
            raise _errors.compiling.new_recording(self.function)
        reasons = self.reasons.setdefault(signature.key, [])
        given_up = len(reasons) >= PATIENCE and not self.fullgraph
        if given_up or stance.name == "eager_on_recompile" or self._waits(signature.key):
            return self.function(*args, **kwargs)
        with self._lock:
            return _Attempt(self, signature, args, kwargs).result()

    def _verify(self, one: Kept, signature: Signature, args: tuple, kwargs: dict) -> Any:
        """Record the call again, which must give the recording that there is."""
        returned = self._record(signature, args, kwargs)
        again = next(iter(self.kept.get(signature.key, ())), None)
        if again is None or again is one:
            raise _errors.compiling.differs(self.function, "; ".join(self.reasons.get(signature.key, ())))
        difference = one.replay.difference(again.replay)
        if difference:
            raise _errors.compiling.differs(self.function, difference)
        self.kept[signature.key].remove(one)
        again.runs = one.runs
        return returned

    def explained(self) -> Function | None:
        """What `torchlike.explain()` says of this function; None if it was never called."""
        if not self.reasons:
            return None
        code = getattr(self.function, "__code__", None)
        where = str(Place(code.co_filename, code.co_firstlineno)) if code else ""
        kept = [one for among in self.kept.values() for one in among]
        reasons = dict.fromkeys(reason for among in self.reasons.values() for reason in among)
        name = self.options.get("name") or _errors.compiling.named(self.function)
        return Function(name=name, where=where, signatures=len(self.reasons),
                        recordings=len(kept), runs=sum(one.runs for one in kept), reasons=tuple(reasons))  # fmt: skip

    # -- what XLA says -------------------------------------------------------------------------------------------------

    def _executable(self) -> Any:
        kept = [one for among in self.kept.values() for one in among]
        if not kept:
            raise _errors.compiling.no_recording(self.function)
        return kept[-1].replay.executable()

    def cost(self) -> dict[str, float]:
        """XLA's estimate for the latest recording: floating-point operations, bytes read and written, and more."""
        return self._executable().cost_analysis()

    def memory(self) -> Any:
        """XLA's count of the bytes of the latest recording: arguments, results, temporaries, what is overwritten."""
        return self._executable().memory_analysis()

    def hlo(self) -> str:
        """The latest recording as optimized HLO text."""
        return self._executable().as_text()

    def _waits(self, key: tuple) -> bool:
        """Whether a signature that was not met before is to come again before it is compiled."""
        if self.dynamic is False or (self.dynamic is None and len(self.kept) < self.limit) or key in self._came:
            return False
        self._came.add(key)
        return True

    def forget(self) -> None:
        """Forget every recording."""
        self.kept.clear()
        self.reasons.clear()
        self._came.clear()

    def refused(self, key: tuple, reason: str) -> None:
        """A recording cannot serve."""
        self.reasons.setdefault(key, []).append(reason)
        if self.fullgraph:
            raise _errors.compiling.not_whole(self.function, reason)


class _Attempt:
    """One call, recorded."""

    def __init__(self, compiled: Compiled, signature: Signature, args: tuple, kwargs: dict) -> None:
        self.compiled, self.signature, self.args, self.kwargs = compiled, signature, args, kwargs

    def result(self) -> Any:
        try:
            before = self._reach(None)
        except UnfollowedState as reason:
            self._refuse(str(reason))
            return self.compiled.function(*self.args, **self.kwargs)
        return self._watched(before)

    def _watched(self, before: Reach) -> Any:
        state = list(before.tensors.values())
        views = [(t, t._read(False)) for t in state if t._chain is not None]
        given = self.signature.tensors
        seen = [None if t._chain is None else t._pair()[0] for t in given]  # before the boundary: reading records
        boundary()
        device = self._device(state)
        _make_distinct([*given, *state, *before.grads.values()])
        capture = Capture(device, self._stopped)
        capture.given = [t._pair()[0] if value is None else value for t, value in zip(given, seen)]
        capture.views = views
        shown = [*capture.given, *(v for _, v in views), *(t._storage.value for t in [*state, *before.grads.values()])]
        capture.known = {id(v) for v in shown}
        watch, modes = Watch(), self.signature.modes
        replay, cut = None, cut_off(self.signature.tensors)
        try:
            with capture, cut:
                capture.histories = [(t, t._edge, t._storage) for t in [*self.signature.tensors, *state]]
                self.inside = Signature(self.args, self.kwargs).key
                with watch:
                    returned = self.compiled.function(*self.args, **self.kwargs)
                replay = None if capture.reason else self._keep(capture, before, watch, returned, modes)
        finally:
            if replay is None:
                cut.undo()
        if replay is not None:
            replay.first(self.signature.tensors)
        return returned

    def _keep(self, capture: Capture, before: Reach, watch: Watch, returned: Any, modes: tuple) -> Replay | None:
        """Keep what was recorded, or say why not; then the trace runs as any other does."""
        try:
            after = self._unchanged(before, watch, modes)
            results = Results(returned, self.signature.tensors, before.tensors, before.grads)
            state = {**before.tensors, **after.tensors}.values()
            made = recording.Recording(capture, results, self.signature.tensors, list(state))
            made.check()
            gradient, late = None, None
            if results.roots:
                with watch:
                    gradient = Gradient(capture.trace, results.roots)
                try:  # hooks and backward functions have run now, and read what they read
                    after = self._unchanged(before, watch, modes)
                except (recording.Refusal, UnfollowedState) as refusal:
                    late = str(refusal)
            replay, reason = made.made(gradient)
        except (recording.Refusal, UnfollowedState, UnfollowedResult) as refusal:
            capture.stop(str(refusal))
            return None
        finally:
            leave(capture)
        if reason or late:
            self._refuse(reason or late)  # type: ignore[arg-type]
        else:
            kept = Kept(Guards(after, [*after.tensors.values()]), replay, self.signature.others)
            among = self.compiled.kept.setdefault(self.signature.key, [])
            among.insert(0, kept)
            del among[self.compiled.limit :]
        return replay

    def _unchanged(self, before: Reach, watch: Watch, modes: tuple) -> Reach:
        """The walk over what ran, which must find everything as it was before."""
        if watch.refused is not None:
            raise recording.Refusal(watch.refused)
        now = Signature(self.args, self.kwargs)
        if now.modes != modes:
            raise recording.Refusal("it changes a mode: of gradients, of the default dtype or device, of precision")
        if now.key != self.inside or [*map(id, now.tensors)] != [*map(id, self.signature.tensors)]:
            raise recording.Refusal("it changes an argument")
        after = self._reach(watch.codes)
        unknown = next((c for c in watch.codes if c not in before.found_codes), None)
        if unknown is not None:
            place = Place(unknown.co_filename, unknown.co_firstlineno)
            what = f"{unknown.co_qualname} ({place})"
            raise recording.Refusal(f"it calls {what}, which is reached in a way that is not followed")
        changed = after.changed_since(before)
        if changed is not None:
            raise recording.Refusal(f"it changes {changed}")
        for key, (state, path) in before.sources.items():
            if key in after.sources and after.sources[key][0] != state:
                raise recording.Refusal(f"it draws random numbers from {path}")
        return after

    def _reach(self, codes: set[types.CodeType] | None) -> Reach:
        roots = [(self.compiled.function, getattr(self.compiled.function, "__name__", "the function"))]
        roots += [(x, "an argument") for x in self.signature.others]
        return Reach(codes).walk(*roots)

    def _device(self, state: list[Tensor]) -> _device.device:
        tensors = [*self.signature.tensors, *state]
        return tensors[0].device if tensors else _modes.default_device

    def _stopped(self, reason: str) -> None:
        self._refuse(f"{users_place()[0]}: {reason}")

    def _refuse(self, reason: str) -> None:
        self.compiled.refused(self.signature.key, reason)


def _make_distinct(tensors: list[Tensor]) -> None:
    """Give each storage a Value that nobody else holds: two that show one Value now need not do so later."""
    for storage in {id(t._storage): t._storage for t in tensors if not t._storage.shared}.values():
        value = storage.value
        if value.array is not None and getrefcount(value) > LOCAL:
            storage.value = Value(value.aval, value.array)
            storage.value.stamp = value.stamp
