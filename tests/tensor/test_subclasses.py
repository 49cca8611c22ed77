"""Subclasses of Tensor: results keep the class, and `__torch_function__` overrides functions."""

import pickle

import pytest

import torchlike
from tests.oracle import both


def named(L, base=None):
    return type("Named", (base or L.Tensor,), {})


def kinds(found):
    """Return the class names of results."""
    return [kinds(each) for each in found] if isinstance(found, list | tuple) else type(found).__name__


CALLS = {
    "operators": lambda L, s: [
        s + 1,
        1 + s,
        s - 1,
        1 - s,
        s * s,
        -s,
        s / 2,
        s**2,
        s == 1,
        s < 1,
        abs(s),
        s @ s.T,
        ~(s > 0),
    ],
    "with a plain one": lambda L, s: [L.ones(2, 3) + s, L.ones(2, 3) - s, s + L.ones(3), L.ones(4, 2) @ s],
    "functions": lambda L, s: [
        L.sum(s),
        L.stack([s, s]),
        L.cat([L.ones(1, 3), s]),
        L.where(s > 0, s, s),
        L.einsum("ij->j", s),
        L.zeros_like(s),
        L.rand_like(s),
        L.add(input=s, other=1),
        L.linalg.norm(s),
        L.split(s, 1),
    ],
    "methods": lambda L, s: [
        s.sum(),
        s.t(),
        s.T,
        s.clone(),
        s.detach(),
        s.data,
        s.double(),
        s.to("cpu"),
        s.new_zeros(2),
        s.view(6),
        s.contiguous(),
        s.max(1),
        s.split(1),
        s.unbind(),
        s.requires_grad_(),
    ],
    "in place": lambda L, s: [s.add_(1), s.zero_(), s.mul_(s), s.copy_(L.ones(2, 3))],
    "layers": lambda L, s: [
        L.nn.functional.relu(s),
        L.nn.Linear(3, 2)(s),
        L.nn.functional.dropout(s, 0.5),
        L.nn.functional.cross_entropy(s, L.tensor([0, 1])),
        L.nn.LayerNorm(3)(s),
    ],
    "no tensors": lambda L, s: [s.shape, s.size(0), s.tolist(), s.sum().item(), len(s), s.dtype, s.numpy(), s.grad],
    "parts": lambda L, s: [s[0], s[:, 1], s[s > 0], s[L.tensor([1])], list(s), L.arange(6)[s.long().flatten()]],
    "converted": lambda L, s: [s.as_subclass(L.Tensor), L.as_tensor(s) is s, isinstance(s, L.Tensor)],
}


@pytest.mark.parametrize("name", CALLS)
def test_results_keep_the_class(name):
    def called(L):
        L.manual_seed(0)
        found = CALLS[name](L, L.arange(6.0).reshape(2, 3).as_subclass(named(L)))
        return kinds(found), [each.detach().as_subclass(L.Tensor) for each in found if isinstance(each, L.Tensor)]

    both(called)


def test_values_and_history():
    def trained(L):
        s = L.arange(3.0).as_subclass(named(L)).requires_grad_()
        (s * s).sum().backward()
        x = L.ones(3, requires_grad=True)
        seen = x.as_subclass(named(L))
        optimizer = L.optim.SGD([s], 0.1)
        optimizer.step()
        s.data[0] = 7
        return (
            s,
            s.grad,
            seen.is_leaf,
            seen._base is x,
            seen.grad_fn.name(),
            repr(s),
            str(seen[0]),
            type(s.grad).__name__,
        )

    both(trained)


def test_writes_are_shared():
    def written(L):
        t = L.zeros(2, 3)
        s = t.as_subclass(named(L))
        s[0] = 1
        t[1, 0] = 5
        t[s > 4] = 6
        t[0, 1:] = s[1, :2]
        return t, s, s.data_ptr() == t.data_ptr(), s._version == t._version

    both(written)


def test_pickles_keep_the_class():
    s = torchlike.ones(2).as_subclass(Kept)
    again = pickle.loads(pickle.dumps(s))
    assert type(again) is Kept and again.tolist() == [1, 1]


class Kept(torchlike.Tensor):
    pass


def logging(L, log):
    class Logged(L.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            name = getattr(func, "__name__", "")
            if name != "__get__":  # shape, dtype and similar attributes, for which only PyTorch calls it
                log.append((name, [each.__name__ for each in types], len(args)))
            return super().__torch_function__(func, types, args, kwargs or {})

    return Logged


@pytest.mark.parametrize(
    "call",
    [
        lambda L, s: s + 1,
        lambda L, s: 1 + s,
        lambda L, s: L.ones(2, 3) - s,
        lambda L, s: s @ s.mT.clone(),
        lambda L, s: L.sum(s, dim=1),
        lambda L, s: s.sum(1),
        lambda L, s: L.stack([s, s]),
        lambda L, s: s.clone().add_(1),
        lambda L, s: s[0],
        lambda L, s: L.where(s > 0, s, s),
        lambda L, s: L.nn.functional.linear(s, s, None),
        lambda L, s: L.add(s, 1),
        lambda L, s: s.to(L.float64),
        lambda L, s: s.detach(),
        lambda L, s: -s,
        lambda L, s: s < 1,
    ],
)
def test_which_function_is_seen(call):
    def seen(L):
        log = []
        call(L, L.ones(2, 3).as_subclass(logging(L, log)))
        return log

    both(seen)


def notes(L):
    """Return a subclass whose results inherit the metadata of their arguments, as in image libraries."""

    class Noted(L.Tensor):
        notes = ()

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            found = super().__torch_function__(func, types, args, kwargs or {})
            if isinstance(found, cls):
                given = [each for a in args for each in (a if isinstance(a, list | tuple) else [a])]
                found.notes = sum((each.notes for each in given if isinstance(each, cls)), ())
            return found

    return Noted


def test_attributes_that_torch_function_adds():
    def noted(L):
        a, b = L.ones(2).as_subclass(notes(L)), L.ones(2)
        b = b.as_subclass(type(a))
        a.notes, b.notes = ("a",), ("b",)
        return [each.notes for each in (a + b, L.stack([a, b, a]), a.sum(), L.nn.functional.relu(b), a[0], 2 * b)]

    both(noted)


def test_functions_that_a_class_takes_over():
    def taken(L):
        handled = {}

        class Own(L.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return handled[func]() if func in handled else NotImplemented

        s = L.ones(2).as_subclass(Own)
        handled |= {L.mean: lambda: "mean", L.nn.functional.mse_loss: lambda: "loss", L.Tensor.add: lambda: "add"}
        handled[L.sum] = lambda: "sum"
        return L.mean(s), L.nn.functional.mse_loss(s, s), s + 1, L.sum(s)

    both(taken)


def test_a_class_that_declines():
    def declined(L):
        cls = type("Never", (L.Tensor,), {"__torch_function__": classmethod(lambda *_, **__: NotImplemented)})
        return L.ones(2).as_subclass(cls) + 1

    both(declined)
    with pytest.raises(TypeError, match="Multiple dispatch failed"):
        cls = type("Never", (torchlike.Tensor,), {"__torch_function__": classmethod(lambda *_, **__: NotImplemented)})
        torchlike.add(torchlike.ones(2).as_subclass(cls), 1)


def test_the_more_derived_class_answers():
    def answered(L):
        base = named(L)
        a, b = L.ones(2).as_subclass(base), L.ones(2).as_subclass(type("Derived", (base,), {}))
        return kinds([a + b, b + a, L.add(a, b)])

    both(answered)


def test_disabled():
    def plain(L):
        class Plain(L.Tensor):
            __torch_function__ = L._C._disabled_torch_function_impl

        class Inside(L.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                with L._C.DisableTorchFunctionSubclass():
                    return func(*args, **(kwargs or {}))

        p, s = L.ones(2).as_subclass(Plain), L.ones(2).as_subclass(Inside)
        with L._C.DisableTorchFunctionSubclass():
            within = L.ones(2).as_subclass(named(L)) + 1
        return kinds([p + 1, L.stack([p, p]), s + 1, L.stack([s, s]), s.add_(1), s.flatten(), within, p]), s

    both(plain)


def test_other_bases():
    def mixed(L):
        class Meta:
            def describe(self):
                return f"{type(self).__name__} of {self.shape[0]}"

        class Both(Meta, L.Tensor):
            def __new__(cls, data, scale=2):
                made = L.as_tensor(data).as_subclass(cls)
                made.scale = scale
                return made

            def doubled(self):
                return super().mul(self.scale)

        s = Both([1.0, 2.0])
        return s.describe(), s.doubled(), kinds([s, s.doubled()]), issubclass(Both, L.Tensor)

    both(mixed)


def test_a_compiled_function_of_one():
    s = torchlike.ones(2).as_subclass(Kept)
    assert torchlike.compile(lambda x: x * 2 + 1)(s).tolist() == [3, 3]
