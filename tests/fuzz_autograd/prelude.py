"""The initial namespace of every program: modules, custom functions, hooks and helpers."""

from __future__ import annotations

import functools
import importlib
import threading
from typing import Any

_SUBMODULES = ("utils.checkpoint", "autograd.forward_ad", "autograd.graph")
PRELUDE = """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, k):
        ctx.save_for_backward(a)
        ctx.k = k
        return a * a * k
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        log.append(("Scale", ctx.needs_input_grad))
        return 2 * ctx.k * a * g, None
class Pair(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b, b.sin()
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)
    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        log.append(("Pair", g is None, h is None))
        left = None if g is None else (g * b).sum_to_size(a.shape)
        right = 0 if g is None else (g * a).sum_to_size(b.shape)
        return left, right + (0 if h is None else h * b.cos())
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(a)
        a.mul_(2)
        return a
    @staticmethod
    def backward(ctx, g):
        return 2 * g
class Undirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(2)
        return a
    @staticmethod
    def backward(ctx, g):
        return 2 * g
class Ranks(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ids = (a.detach().real > 0).long()
        ctx.mark_non_differentiable(ids)
        return a.exp(), ids
    @staticmethod
    def backward(ctx, g, h):
        log.append(("Ranks", seen(g), h is None or h.dtype))
        return g
class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        out = a.exp()
        ctx.save_for_backward(out)
        return out
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b
    @staticmethod
    def backward(ctx, g):
        return None, g
class Odd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, what):
        ctx.what = what
        return a.clone()
    @staticmethod
    def backward(ctx, g):
        if ctx.what == "shape":
            return g.new_ones(7), None
        if ctx.what == "few":
            return g
        if ctx.what == "many":
            return g, None, None
        if ctx.what == "double":
            return g.double(), None
        if ctx.what == "type":
            return 1, None
        raise ValueError("odd")
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a
    @staticmethod
    def backward(ctx, g):
        return g * 3
class View(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.view(-1)
    @staticmethod
    def backward(ctx, g):
        log.append(("View", seen(g)))
        return g.view_as(g).reshape(-1)
class Dual(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_forward(a)
        ctx.save_for_backward(a)
        return a ** 3
    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0] ** 2 * g
    @staticmethod
    def jvp(ctx, t):
        return 3 * ctx.saved_tensors[0] ** 2 * t
def seen(x):
    if isinstance(x, (tuple, list)):
        return [seen(each) for each in x]
    return (x.detach().clone(), x.requires_grad) if isinstance(x, torch.Tensor) else x
def spy(tag, to=None):
    def hook(*gs):
        log.append((tag, seen(gs)))
        return to(*gs) if to else None
    return hook
def walk(node, most=24):
    found, stack = [], [(node, 0)]
    while stack and len(found) < most:
        node, index = stack.pop()
        found.append((node and node.name(), index))
        stack += list(node.next_functions) if node is not None else []
    return found
def deep(f, x, times):
    found, y = [], f(x)
    for _ in range(times):
        y = y.sum()
        found.append((y, y.requires_grad, y.grad_fn and y.grad_fn.name()))
        y, = torch.autograd.grad(y, x, create_graph=True, allow_unused=True)
        if y is None:
            break
    return [*found, y, y is not None and y.requires_grad]
def fresh(x):
    if x is None or isinstance(x, torch.Tensor):
        return x if x is None else x.clone(memory_format=torch.contiguous_format)
    return tuple(fresh(each) for each in x)
def nodes(t):
    return [node for node in [t.grad_fn, *(n for n, _ in t.grad_fn.next_functions)] if node is not None]
def in_thread(f):
    def run():
        try:
            f()
        except Exception as error:
            log.append((type(error).__name__, str(error).partition("\\n")[0]))
    worker = threading.Thread(target=run)
    worker.start()
    worker.join()
def pack(t):
    return t.detach().numpy().copy()
def unpack(x):
    return torch.from_numpy(x)
def double(t):
    return t.detach().double(), t.dtype
def undouble(x):
    return x[0].to(x[1])
def nested(g):
    with torch.enable_grad():
        t = torch.ones(2, requires_grad=True)
        t.square().sum().backward()
    log.append(("nested", seen(t.grad)))
    return g * t.grad[0].item()
@torch.no_grad()
def quiet(t):
    return t * 2
@torch.set_grad_enabled(True)
def loud(t):
    return t * 3
"""


@functools.cache
def _compiled() -> Any:
    return compile(PRELUDE, "<prelude>", "exec")


def start(library: Any, compile: Any = lambda function: function) -> dict[str, Any]:
    """Return the initial namespace of a program."""
    for name in _SUBMODULES:
        importlib.import_module(f"{library.__name__}.{name}")
    names = {
        "__name__": "program",
        "torch": library,
        "nn": library.nn,
        "fw": library.autograd.forward_ad,
        "checkpoint": library.utils.checkpoint.checkpoint,
        "hooks": library.autograd.graph.saved_tensors_hooks,
        "threading": threading,
        "compile": compile,
        "log": [],
        "handles": [],
        "keep": [],
        "inf": float("inf"),
        "nan": float("nan"),
    }
    exec(_compiled(), names)
    return names
