"""A compiled function: one call of each signature is captured, and later calls run one executable."""

from __future__ import annotations

import enum
import functools
import threading
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax

from torchlike import _errors
from torchlike._compile.arguments import Signature
from torchlike._compile.attempt import Attempt, GuardedRecording
from torchlike._compile.history import History, raised
from torchlike._compile.replay import DIFFERENT
from torchlike._dtypes import modes
from torchlike._dtypes.recorder import current
from torchlike._engine import determinism
from torchlike._engine.ranks.meeting import DifferentProgram
from torchlike._engine.report.explain import Function, compiled
from torchlike._engine.trace import trace as _trace
from torchlike._engine.xla.forked import forked
from torchlike._errors.callers import Place
from torchlike._errors.making import OutOfMemoryError
from torchlike.nn import Module

if TYPE_CHECKING:
    from torchlike._compile.ahead import ForTarget

PATIENCE = 4  # the number of refused captures after which a signature is no longer captured
ALIKE = 2  # the same for refusals with one reason: in a large library, each traversal takes seconds
AT_ONCE = 2  # the number of signatures that are captured at their first call; often training and evaluation
_UNFOLLOWED = "an argument has attributes or hooks"
_ELEMENTS = "an operator rejects the elements of an argument"
_PARTS = "an argument is a view whose layout changes often"
_STANCE = "the stance is 'eager_on_recompile'"
_WAITING = "its signature occurs for the first time (dynamic)"


class Stance:
    """The behavior of all compiled functions (`torchlike.compiler.set_stance`)."""

    name = "default"


stance = Stance()


class State(enum.Enum):
    """The state of a signature: unseen -> (waiting ->) capturing -> compiled | refused.

    After a capture, a signature without recordings is unseen again until `PATIENCE` captures, or `ALIKE` captures in a
    row with the same reason, were refused.
    """

    UNSEEN = enum.auto()
    WAITING = enum.auto()  # seen once; the next call is captured
    CAPTURING = enum.auto()
    COMPILED = enum.auto()
    REFUSED = enum.auto()


class Case:
    """The record of one signature: its state, its recordings (newest first), and the reasons of refused captures."""

    __slots__ = ("recordings", "refusals", "state")

    def __init__(self) -> None:
        self.state = State.UNSEEN
        self.recordings: list[GuardedRecording] = []
        self.refusals: list[str] = []

    def settled(self) -> State:
        """Return the state after a capture has ended."""
        alike = len(self.refusals) >= ALIKE and len({*self.refusals[-ALIKE:]}) == 1
        if alike or len(self.refusals) >= PATIENCE:
            return State.REFUSED
        return State.COMPILED if self.recordings else State.UNSEEN


def _attempt(*given: Any) -> Attempt:
    """Return the capture of one call. `given` are the arguments of `Attempt`."""
    session: Any = _trace.ahead.session
    if session is None:
        return Attempt(*given)
    from torchlike._compile.ahead import InSession

    return InSession(session, *given)


class Compiled:
    """A function that is captured and run as one executable for each signature of its arguments.

    All of its own state is in slots. Its `__dict__` holds user-defined attributes, as that of a function does.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_cases",
        "_history",
        "_lock",
        "_torchdynamo_orig_callable",
        "dynamic",
        "fullgraph",
        "function",
        "is_off",
        "kept",
        "limit",
        "options",
        "verify_every",
    )

    def __init__(
        self,
        function: Callable,
        fullgraph: bool = False,
        dynamic: bool | None = None,
        limit: int = 8,
        verify_every: int = 0,
        is_off: bool = False,
    ) -> None:
        if not isinstance(function, Module):
            functools.update_wrapper(self, function)
        self.function, self.fullgraph, self.dynamic, self.limit = function, fullgraph, dynamic, limit
        self.verify_every, self.is_off = verify_every, is_off
        self._torchdynamo_orig_callable = function
        self.options: dict[str, Any] = {}  # the arguments of `compile`
        self._cases: dict[tuple, Case] = {}
        self.kept: dict[tuple, list[GuardedRecording]] = {}  # recordings by signature
        self._history = History()
        self._lock = threading.RLock()
        compiled.add(self)

    def _followed(self) -> list:
        """Return the objects that guards of an enclosing captured call must track."""
        return [self.function, self.__dict__]

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __reduce__(self) -> str:
        """Copy and pickle like a function: copying returns the object itself, and a pickle stores its name."""
        return getattr(self, "__qualname__", type(self.function).__qualname__)

    # -- the call ------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        recorder = current()
        is_part = recorder.capture is not None or recorder.watches or not recorder.moves or modes.local.transforms
        if (
            is_part
            or self.is_off
            or forked.is_closed
            or stance.name == "force_eager"
            or not _trace.limit.length
            or _trace.latest.made is not None
        ):
            # The call is part of another captured call or of a transform, compilation is disabled, XLA must not run in
            # this process, operators run immediately (the executor "immediate"), or anomaly detection is on.
            return self.function(*args, **kwargs)
        signature = Signature(args, kwargs)
        if not signature.is_followed:
            return self._uncompiled(_UNFOLLOWED, args, kwargs)
        tensors = signature.tensors
        containers = signature.containers
        for one in self.kept.get(signature.key, ()):
            if (
                one.guards.all_pass()
                and (not one.assigns or one.has_same_contents(tensors, containers))
                and one.replay.is_valid(tensors)
                and (not containers or one.shares_containers(containers))
            ):
                given = signature.given
                if given is None:
                    given = [t._pair()[0] for t in tensors]
                if not one.replay.takes(given, tensors):
                    return self._uncompiled(_ELEMENTS, args, kwargs)  # the function raises the operator's error
                one.runs += 1
                if self.verify_every and one.runs % self.verify_every == 0:
                    return self._verify(one, signature, args, kwargs)
                try:
                    return one.replay.run(given, tensors)
                except DifferentProgram:
                    return self._uncompiled(DIFFERENT, args, kwargs)
                except (jax.errors.JaxRuntimeError, OutOfMemoryError) as error:
                    raise one.replay.explained(error) from None
        return self._advance(signature, args, kwargs)

    def _advance(self, signature: Signature, args: tuple, kwargs: dict) -> Any:
        """Capture a call without a valid recording, run it uncompiled, or raise.

        The stance and the state of the call's signature decide.
        """
        if stance.name == "fail_on_recompile":
            raise _errors.compiling.new_recording(self.function)
        case = self._cases.setdefault(signature.key, Case())
        if stance.name == "eager_on_recompile":
            return self._uncompiled(_STANCE, args, kwargs)
        if case.state is State.REFUSED and not self.fullgraph:
            return self._uncompiled(case.refusals[-1], args, kwargs)
        if case.state is State.UNSEEN and not case.refusals and self._is_to_wait():
            case.state = State.WAITING
            return self._uncompiled(_WAITING, args, kwargs)
        with self._lock:
            return self._capture(case, signature, args, kwargs)

    def _capture(self, case: Case, signature: Signature, args: tuple, kwargs: dict) -> Any:
        """Call the function, capture it, and update the state of its signature."""
        is_full = case.recordings and len(case.recordings) >= self.limit
        if is_full and not self.fullgraph and not case.recordings[0].replay.are_views(signature.tensors):
            return self._uncompiled(_PARTS, args, kwargs)
        changed = self._changed(case, signature)
        attempt = _attempt(self.function, signature, args, kwargs, functools.partial(self._refuse, case))
        case.state = State.CAPTURING
        refusals = len(case.refusals)
        try:
            returned = attempt.result()
        except Exception as error:
            if len(case.refusals) == refusals:
                self._history.uncompiled[raised(error)] += 1
            raise
        finally:
            if attempt.kept is not None:
                self._keep(case, signature, attempt.kept)
            case.state = case.settled()
        if changed is not None and attempt.kept is not None:
            self._history.again[changed] += 1
        return returned

    def _uncompiled(self, reason: str, args: tuple, kwargs: dict) -> Any:
        """Run a call uncompiled, and count it under `reason`."""
        self._history.uncompiled[reason] += 1
        return self.function(*args, **kwargs)

    def _refuse(self, case: Case, reason: str) -> None:
        """Count a call that cannot be captured, and raise if `fullgraph` is set."""
        case.refusals.append(reason)
        self._history.uncompiled[reason] += 1
        if self.fullgraph:
            raise _errors.compiling.not_whole(self.function, reason)

    def _keep(self, case: Case, signature: Signature, kept: GuardedRecording) -> None:
        self.kept[signature.key] = case.recordings
        case.recordings.insert(0, kept)
        self._history.forgotten += sum(one.runs for one in case.recordings[self.limit :])
        del case.recordings[self.limit :]

    def _is_to_wait(self) -> bool:
        """Return whether a new signature is captured only at its second call."""
        if self.dynamic is not None:
            return self.dynamic
        at_once = self.limit if self.fullgraph or determinism.is_enabled() else min(self.limit, AT_ONCE)
        return len(self.kept) >= at_once

    def _changed(self, case: Case, signature: Signature) -> str | None:
        """Return the reason why the newest recording is not valid, or None if there is no recording."""
        if not case.recordings:
            return None
        what = case.recordings[0].changed(signature)
        return f"{what} changed" if what else "nothing (verify_every)"

    def _verify(self, one: GuardedRecording, signature: Signature, args: tuple, kwargs: dict) -> Any:
        """Capture the call again and compare the new recording with the old one."""
        case = self._cases[signature.key]
        returned = self._advance(signature, args, kwargs)
        again = case.recordings[0]
        if again is one:
            raise _errors.compiling.differs(self.function, "; ".join(case.refusals))
        difference = one.replay.difference(again.replay)
        if difference:
            raise _errors.compiling.differs(self.function, difference)
        case.recordings.remove(one)
        again.runs = one.runs
        return returned

    def for_target(self, target: str) -> ForTarget:
        """Return this function for ahead-of-time compiling for a chip that this machine does not have.

        `f.for_target("v5e").lower(*args)` captures the call `f(*args)` without running it or changing any state, and
        lowers its program. `.compile()` of the result compiles it. Nothing runs on the target. On a machine without
        accelerators, start Python with the environment variable `JAX_PLATFORMS=cpu`.

        Args:
          target: "v4", "v5e", "v5p", "v6e" (one TPU chip), a TPU slice such as "v5e:2x4", "h100", "h100:8", or "cpu".

        Raises:
          ValueError: the target is unknown.
          torchlike.aot.Unavailable: the compiler for the target is not installed or cannot be loaded.

        >>> import torchlike as torch
        >>> f = torch.compile(lambda x: (x @ x).sum())
        >>> program = f.for_target("cpu").lower(torch.ones(64, 64)).compile()
        >>> program.memory.arguments, program.collectives, program.host_transfers
        (16384, {}, {})
        """
        from torchlike._compile.ahead import ForTarget

        return ForTarget(self.function, target)

    # -- statistics ----------------------------------------------------------------------------------------------------

    def explained(self) -> Function | None:
        """Return the entry of `torchlike.explain()` for this function; None if it was never called."""
        history, kept = self._history, self._recordings()
        if not (self._cases or history.uncompiled):
            return None
        code = getattr(self.function, "__code__", None) or getattr(
            getattr(self.function, "forward", None), "__code__", None
        )
        where = str(Place(code.co_filename, code.co_firstlineno)) if code else ""
        again, uncompiled = history.causes()
        name = self.options.get("name") or _errors.compiling.named(self.function)
        return Function(
            name=name,
            where=where,
            signatures=len(self._cases),
            recordings=len(kept),
            runs=history.forgotten + sum(one.runs for one in kept),
            again=again,
            uncompiled=uncompiled,
        )

    def _recordings(self) -> list[GuardedRecording]:
        return [one for among in self.kept.values() for one in among]

    def _executable(self) -> Any:
        kept = self._recordings()
        if not kept:
            raise _errors.compiling.no_recording(self.function)
        return kept[-1].replay.executable()

    def cost(self) -> dict[str, float]:
        """Return XLA's cost analysis of the latest recording: floating-point operations, bytes accessed, and more."""
        return self._executable().cost_analysis()

    def memory(self) -> Any:
        """Return XLA's memory analysis of the latest recording: bytes of arguments, results and temporaries."""
        return self._executable().memory_analysis()

    def hlo(self) -> str:
        """Return the optimized HLO text of the latest recording."""
        return self._executable().as_text()

    def release(self) -> None:
        """Drop the recordings with their executables, but keep the counts."""
        self._history.forgotten += sum(one.runs for one in self._recordings())
        self.kept.clear()
        for case in self._cases.values():
            case.recordings = []
            case.state = case.settled()

    def forget(self) -> None:
        """Drop all recordings and counts."""
        self.kept.clear()
        self._cases.clear()
        self._history = History()
