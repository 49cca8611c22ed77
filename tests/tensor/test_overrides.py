"""`overrides`: its functions, applied in both libraries to functions and classes that use `__torch_function__`."""

import contextlib
import importlib
import inspect
import warnings

import pytest
import torch

import torchlike
from tests.oracle import both


class Answers:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls.__name__, func.__name__, [t.__name__ for t in types], len(args), kwargs


class Declines(Answers):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class Sub(Answers):
    pass


class Plain:
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return "plain"


GIVEN = {
    "one": lambda L: [Answers()],
    "one of two": lambda L: [1, Answers()],
    "two of a type": lambda L: [Answers(), Answers()],
    "one that declines": lambda L: [Declines()],
    "base first": lambda L: [Answers(), Declines(), Sub()],
    "subclass first": lambda L: [Sub(), Answers()],
    "tensor": lambda L: [L.ones(2), Answers(), L.nn.Parameter(L.ones(1))],
    "parameter": lambda L: [L.nn.Parameter(L.ones(1)), L.ones(1)],
    "class": lambda L: [Answers],
    "none": lambda L: [],
    "numbers": lambda L: [1, None, "a"],
    "disabled": lambda L: [disabled(L)],
    "plain method": lambda L: [Plain()],
}


def disabled(L):
    return type("Disabled", (), {"__torch_function__": L._C._disabled_torch_function_impl})()


def overrides(L):
    return importlib.import_module(f"{L.__name__}.overrides")


def work(*args, **kwargs):
    """A function that supports `__torch_function__`."""


@pytest.mark.parametrize("name", GIVEN)
def test_who_has_one(name):
    def asked(L):
        given, found = GIVEN[name](L), overrides(L)
        single = [(found.has_torch_function_unary(x), found.is_tensor_like(x)) for x in given]
        several = [found.has_torch_function(kind(given)) for kind in (list, tuple)]
        return single, several, found.has_torch_function_variadic(*given, 3)

    both(asked)


@pytest.mark.parametrize("name", [name for name in GIVEN if name != "class"])
def test_who_answers(name):
    def called(L):
        given = GIVEN[name](L)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            answer = overrides(L).handle_torch_function(work, given, *given, option=3)
        return answer, [(w.category, str(w.message)) for w in heard]

    both(called)


def test_has_torch_function_of_a_number():
    both(lambda L: overrides(L).has_torch_function(3))


def test_disabled_ones_call_the_function():
    both(lambda L: L._C._disabled_torch_function_impl(divmod, (), (7, 2)))


def test_a_subclass_whose_method_would_not_be_called_has_no_tensors():
    method = classmethod(lambda cls, func, types, args=(), kwargs=None: func(*args, **(kwargs or {})))
    named = type("Named", (torchlike.Tensor,), {"__torch_dispatch__": method})
    data = torchlike.ones(2)
    for make in (named, data.as_subclass, lambda cls: torchlike.Tensor._make_subclass(cls, data)):
        argument = named if make is not named else [1.0]
        with pytest.raises(
            NotImplementedError,
            match=r"Tensor\.__torch_dispatch__ is not supported .* not call the hook of Named",
        ):
            make(argument)
    assert not issubclass(torchlike.Tensor, named) and not isinstance(torchlike.ones(2), named)


def test_a_subclass_of_given_data():
    def made(L):
        data = L.ones(2, requires_grad=True) * 2
        found = L.Tensor._make_subclass(type("Plain", (L.Tensor,), {}), data, True)
        return type(found).__name__, found.requires_grad, found.grad_fn, found.data_ptr() == data.data_ptr()

    both(made)


def test_a_subclass_that_wants_no_such_method_is_one():
    none = torchlike._C._disabled_torch_function_impl
    assert issubclass(type("Plain", (torchlike.Tensor,), {"__torch_function__": none}), torchlike.Tensor)


def looks_like_a_tensor(L):
    """Return a class that is not a tensor, and whose `__torch_function__` returns a description of the call."""

    class Scaled:
        def __init__(self, factor):
            self.factor = factor

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            given = [a.factor if isinstance(a, Scaled) else type(a).__name__ for a in args]
            return func.__name__, [t.__name__ for t in types if t is cls], given, sorted(kwargs or {})

    return Scaled


CALLS = [
    lambda L, s: L.mean(s),
    lambda L, s: L.add(s, 1),
    lambda L, s: L.add(L.ones(2), s, alpha=2),
    lambda L, s: L.matmul(L.ones(2, 2), s),
    lambda L, s: L.sum(s, dim=1),
    lambda L, s: L.cat([L.ones(2), s]),
    lambda L, s: L.stack((s, s)),
    lambda L, s: L.einsum("i,i", s, L.ones(2)),
    lambda L, s: L.flatten(s, 1),
    lambda L, s: L.nn.functional.linear(s, L.ones(2, 2)),
    lambda L, s: L.transpose(s, 0, 1),
    lambda L, s: L.where(s, L.ones(2), L.ones(2)),
    lambda L, s: L.exp(s),
    lambda L, s: L._assert(s, "text"),
    lambda L, s: L.nn.Linear(2, 2)(s)[0],
    lambda L, s: L.argmax(s, -1),
]


@pytest.mark.parametrize("call", CALLS)
def test_torch_function_of_tensor_likes_is_called(call):
    both(lambda L: call(L, looks_like_a_tensor(L)(3)))


def test_objects_without_torch_function_raise():
    both(lambda L: L.mean(object()))
    both(lambda L: L.add(L.ones(2), object()))


def test_functions_by_name():
    for name in ("torch.relu", "torch.functional.einsum", "torch.Tensor.view", "torch.fft.fft", "torch.special.entr"):
        for L in (torch, torchlike):
            found = L
            for part in name.split(".")[1:]:
                found = getattr(found, part)
            assert overrides(L).resolve_name(found) == name
    assert torchlike.overrides.resolve_name(print) is None


@pytest.mark.parametrize(
    "function",
    [
        "torch.Tensor.add",
        "torch.add",
        "torch.Tensor.__add__",
        "torch.Tensor.where",
        "torch.where",
        "torch.Tensor.backward",
        "torch.Tensor.shape.__get__",
        "torch.Tensor.grad.__set__",
        "torch.Tensor.__torch_function__",
        "torch.nn.functional.relu",
        "len",
    ],
)
def test_methods_and_properties(function):
    both(lambda torch: _overrides(torch).is_tensor_method_or_property(eval(function)))


@pytest.mark.parametrize("call", ["f(1)", "f(a)", "f(1, b=a)", "f(torch.ones(1))", "f.__name__, f.__doc__", "g(3)"])
def test_a_decorated_function_asks_its_arguments(call):
    def program(torch):
        wrap = _overrides(torch).wrap_torch_function

        @wrap(lambda a, b=None: (a, b))
        def f(a, b=None):
            """Add 1."""
            return a + 1

        class Asked:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func is f, types == (Asked,), len(args), sorted(kwargs)

        return eval(call, {"torch": torch, "f": f, "g": wrap(lambda a: a)(lambda a: a), "a": Asked()})

    both(program)


def _overrides(library):
    return importlib.import_module(f"{library.__name__}.overrides")


def test_lists_of_functions():
    spaces = ["torchlike", "torchlike.nn.functional", "torchlike.linalg", "torchlike.fft", "torchlike.special"]
    found, due = torchlike.overrides.get_overridable_functions(), torch.overrides.get_overridable_functions()
    for space in spaces:
        module = importlib.import_module(space)
        theirs = importlib.import_module(space.replace("torchlike", "torch"))
        names = {f.__name__ for f in found[module]}
        listed = {f.__name__.removeprefix(f"{space.split('.')[-1]}_") for f in due[theirs]}
        assert len(names & listed) > 0.85 * len(listed), listed - names
    assert torchlike.Tensor.add_ in found[torchlike.Tensor] and torchlike.add in found[torchlike]
    ignored = torchlike.overrides.get_ignored_functions()
    assert torchlike.zeros in ignored and torchlike.add not in ignored
    assert torch.zeros in torch.overrides.get_ignored_functions()


def test_stand_ins():
    stand_ins = torchlike.overrides.get_testing_overrides()
    assert stand_ins[torchlike.add](1, other=2) == torch.overrides.get_testing_overrides()[torch.add](1, other=2) == -1
    assert str(inspect.signature(stand_ins[torchlike.cat])) == str(inspect.signature(torchlike.cat))


FIRST_CALLS = {
    "linalg.solve": lambda L, each: (each, L.ones(2)),
    "linalg.norm": lambda L, each: (each,),
    "linalg.inv": lambda L, each: (each,),
    "add": lambda L, each: (L.ones(2), each),
    "aminmax": lambda L, each: (each,),
    "cat": lambda L, each: ([L.ones(2), each],),
    "clone": lambda L, each: (each,),
    "einsum": lambda L, each: ("i->", each),
    "is_complex": lambda L, each: (each,),
    "numel": lambda L, each: (each,),
    "permute": lambda L, each: (each, (1, 0)),
    "reshape": lambda L, each: (each, (1, 0)),
    "stack": lambda L, each: ([each],),
    "transpose": lambda L, each: (each, 0, 1),
    "var": lambda L, each: (each,),
}


@pytest.mark.parametrize("name", FIRST_CALLS)
@pytest.mark.parametrize("kind", ["answers", "declines", "disabled"])
def test_the_first_call_asks_an_object_that_is_not_a_tensor(name, kind):
    """Public functions are wrapped at the first such call, so a program calls the function itself before."""

    def run(L):
        *space, last = name.split(".")
        module = importlib.import_module(".".join([L.__name__, *space]))
        asked: list = []

        class Kind:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                asked.append((func is getattr(module, last), types == (cls,), len(args), kwargs or {}))
                return NotImplemented if kind == "declines" else "answer"

        found = getattr(module, last)
        function = found.__wrapped__ if isinstance(found, torchlike._tensor.overriding.Function) else found
        try:
            with L._C.DisableTorchFunctionSubclass() if kind == "disabled" else contextlib.nullcontext():
                return function(*FIRST_CALLS[name](L, Kind())), asked
        except TypeError:
            return "refused", asked

    both(run)


METHODS = {  # a method of an operator without a composite form, such as `add`, asks as the function of its name
    "add_": lambda x, each: x.add_(each),
    "mul_": lambda x, each: x.mul_(each),
    "expand_as": lambda x, each: x.expand_as(each),
    "copy_": lambda x, each: x.copy_(each),
    "copy_ without waiting": lambda x, each: x.copy_(each, non_blocking=True),
    "to": lambda x, each: x.to(each),
    "index_add_": lambda x, each: x.index_add_(0, each, x),
    "masked_fill": lambda x, each: x.masked_fill(each, 1.0),
    "__getitem__": lambda x, each: x[each],
    "__getitem__ of several": lambda x, each: x[0, each],
    "__setitem__": lambda x, each: x.__setitem__(each, 1.0),
    "__setitem__ of a value": lambda x, each: x.__setitem__(0, each),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", ["answers", "declines", "disabled"])
def test_methods_ask_an_argument_that_is_not_a_tensor(name, kind):
    def run(L):
        asked: list = []

        class Kind:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                method = getattr(L.Tensor, name.split()[0])
                asked.append((func == method, types == (cls,), len(args), kwargs or {}))
                return NotImplemented if kind == "declines" else "answer"

        x = L.ones(2, 2)
        try:
            with L._C.DisableTorchFunctionSubclass() if kind == "disabled" else contextlib.nullcontext():
                return METHODS[name](x, Kind()), asked, x
        except (TypeError, IndexError) as error:
            return type(error), asked, x

    both(run)


# Functions that a script imports before it defines a subclass of Tensor do not ask `__torch_function__` themselves.
LOSSES = {
    "cross_entropy": lambda loss, x, y, i: [loss(x, i), loss(x, i, reduction="sum"), loss(x, i, ignore_index=0)],
    "nll_loss": lambda loss, x, y, i: [loss(x, i), loss(x, i, ignore_index=2), loss(x, i, reduction="none")],
    "mse_loss": lambda loss, x, y, i: [loss(x, y), loss(x, y, reduction="none")],
    "smooth_l1_loss": lambda loss, x, y, i: [loss(x, y, beta=0.5), loss(x, y, reduction="sum")],
    "binary_cross_entropy_with_logits": lambda loss, x, y, i: [loss(x, y, reduction="sum")],
    "kl_div": lambda loss, x, y, i: [loss(x, y, reduction="batchmean"), loss(x, y, reduction="none")],
    "hinge_embedding_loss": lambda loss, x, y, i: [loss(x, y.round() * 2 - 1, margin=0.5)],
    "multi_margin_loss": lambda loss, x, y, i: [loss(x, i, p=2, margin=0.5, reduction="none")],
}


@pytest.mark.parametrize("name", LOSSES)
def test_functions_that_were_imported_before_the_first_subclass(name):
    def run(lib):
        kind = type("Kind", (lib.Tensor,), {})
        found = getattr(lib.nn.functional, name)
        loss = found.__wrapped__ if lib is torchlike else found
        x, y = ((lib.arange(12.0).view(4, 3) * step).sin().abs() for step in (1.7, 2.3))
        made = LOSSES[name](loss, x.as_subclass(kind), y.as_subclass(kind), lib.tensor([0, 2, 1, 0]))
        return [(type(each).__name__, each.as_subclass(lib.Tensor)) for each in made]

    both(run)
