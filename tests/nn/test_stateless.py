"""`func.functional_call`: tied weights, refused names, and modules that change their attributes during the call."""

import warnings

import pytest

from tests.autograd.library import compare, log, programs, torch


def _attempt(action):
    try:
        return action()
    except Exception as error:
        return type(error).__name__, str(error)


def _call(module, given, *args, **options):
    return torch.func.functional_call(module, given, *(args or (torch.ones(1),)), **options)


def _of(number):
    return torch.full((1,), float(number))


def _module(forward, tie=False):
    module = torch.nn.Module()
    module.plain, module.text, module.nothing = torch.ones(1), "text", None
    module.w = torch.nn.Parameter(torch.ones(1))
    if tie:
        module.v = module.w
    module.register_buffer("count", torch.zeros(1))
    module.register_buffer("no_buffer", None)
    module.register_parameter("no_parameter", None)
    module.child = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(module.child.weight)
    module.forward = lambda *args, **kwargs: forward(module, *args, **kwargs)
    return module


_NAMES = ("plain", "text", "nothing", "w", "v", "count", "no_buffer", "no_parameter", "new")


def _seen(module, *_):
    return {name: getattr(module, name, "absent") for name in _NAMES}


def every_kind_of_attribute():
    paths = "forward training child child.weight child.new w.x child.q.w child..weight .child.weight child. q.w"
    for name in (*_NAMES, "", *paths.split()):
        for value in (_of(5), torch.nn.Parameter(_of(6)), None, 3):
            module = _module(_seen)
            found = _attempt(lambda name=name, value=value, module=module: _call(module, {name: value}))
            if name == "forward":  # the message contains an address
                found = found[0]
            log(name, found, _seen(module))


def tied_weights():
    for given in ({"w": _of(3)}, {"v": _of(3)}, {"w": _of(3), "v": _of(4)}):
        for tie in (True, False):
            log(_attempt(lambda given=given, tie=tie: _call(_module(_seen, True), given, tie_weights=tie)))
    same = _of(3)
    log(_call(_module(_seen, True), {"w": same, "v": same}))


def one_module_under_two_names():
    layer = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(layer.weight)
    module = torch.nn.Sequential(layer, layer)
    for given in ({"0.weight": _of(3).view(1, 1)}, {"1.weight": _of(3).view(1, 1)}):
        for tie in (True, False):
            log(_call(module, given, tie_weights=tie))
    both = {"0.weight": _of(2).view(1, 1), "1.weight": _of(3).view(1, 1)}
    log(_attempt(lambda: _call(module, both)))


def strict_names():
    everything = {"w": _of(3), "count": _of(1), "child.weight": _of(2).view(1, 1)}
    for given in (everything, {"w": _of(3)}, {**everything, "y": _of(1), "x": _of(1)}, {"z": _of(1), "y": _of(2)}):
        for tie in (True, False):
            module = _module(_seen, True)
            module.__class__ = type("Mine", (torch.nn.Module,), {})
            log(_attempt(lambda given=given, tie=tie, m=module: _call(m, given, strict=True, tie_weights=tie)))


def what_forward_assigns():
    def count(module, x):
        module.count = module.count + 1
        return module.count * x

    def add_in_place(module, x):
        return module.count.add_(1) * x

    def new_parameter(module, x):
        module.w = torch.nn.Parameter(_of(9))
        return module.w * x

    def no_parameter(module, x):
        module.w = None

    def plain(module, x):
        module.plain = x * 7
        module.new = x * 8

    def no_tensor(module, x):
        module.w = x

    def fails(module, x):
        module.count = x
        raise KeyError("mine")

    for forward in (count, add_in_place, new_parameter, no_parameter, plain, no_tensor, fails):
        for given in ({"count": _of(5), "w": _of(2)}, {"plain": _of(3), "new": _of(4)}, {}):
            module = _module(forward)
            given = dict(given)
            log(_attempt(lambda module=module, given=given: _call(module, given)), given, _seen(module))
            given = ({"count": _of(5)}, {"w": _of(2)})
            log(_attempt(lambda module=module, given=given: _call(module, given)), given)


def a_place_deleted_by_forward():
    def delete(module, x):
        del module.w

    module = _module(delete)
    return _call(module, {"w": _of(2)}), module.w


def several_dictionaries():
    for given in (
        ({"w": _of(3)}, {"count": _of(2)}),
        [{"w": _of(3)}, {"count": _of(2)}],
        ({"w": _of(3)}, {"w": _of(2)}),
        ({"w": _of(3)}, 3),
        3,
        (),
    ):
        log(_attempt(lambda given=given: _call(_module(_seen), given)))


def arguments():
    def forward(module, x, *, y=2):
        return x * y * module.w

    x, given = torch.ones(1), {"w": _of(3)}
    for args, kwargs in (((x,), None), (x, {"y": 5}), ((), {"x": x}), (None, {"x": x, "y": 3}), ((), {"x": x, "y": 4})):
        log(torch.func.functional_call(_module(forward), given, args, kwargs))
    log(torch.func.functional_call(_module(forward), given, kwargs={"x": x}))


def modules_in_a_circle():
    outer, inner = torch.nn.Module(), torch.nn.Module()
    outer.w, outer.inner = torch.nn.Parameter(torch.ones(1)), inner
    inner.outer = outer
    outer.forward = lambda x: x * outer.w
    for given in ({"w": _of(3)}, {"inner.outer.w": _of(3)}, {"w": _of(2), "inner.outer.w": _of(3)}):
        log(_attempt(lambda given=given: _call(outer, given)))


def data_parallel_is_refused():
    return _call(torch.nn.DataParallel(torch.nn.Linear(1, 1)), {})


def the_deprecated_function():
    call = torch.nn.utils.stateless.functional_call
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for given in ({"w": _of(3)}, ({"w": _of(3)},), 3):
            log(_attempt(lambda given=given: call(_module(_seen), given, (torch.ones(1),))))
    return [(w.category.__name__, str(w.message)) for w in caught]


def the_context_manager():
    module, given = _module(_seen, True), {"w": _of(3)}
    with torch.nn.utils.stateless._reparametrize_module(module, given):
        log(_seen(module))
        module.count.add_(1)
    return _seen(module)


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_stateless_programs_equal_pytorchs(program):
    compare(program)
