"""Parameter groups, state dictionaries, hooks and errors of `Optimizer`, compared with PyTorch."""

import copy
import importlib
import inspect
import pickle
import warnings
from collections import OrderedDict
from functools import partial

import numpy as np
import pytest
import torch

import torchlike
from tests.optim.cases import CASES, IDS, ONE_EACH, Pair, arrays, give_grads, parameters, same

LIBRARIES = (torchlike, torch)
NAMES = sorted({name for name, _ in CASES} | {"LBFGS", "Muon"})


def outcome(call):
    """Return the error of a call and its warnings, with the library's name in the error's text replaced."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            call()
            error = None
        except Exception as e:
            error = (type(e), str(e).replace("torchlike.", "torch."))
    return error, [(w.category, str(w.message)) for w in seen]


def one(library):
    return library.nn.Parameter(library.ones(2, 2))


def adam(library, **options):
    return library.optim.Adam([one(library)], **options)


def named(library, *names):
    return [(name, one(library)) for name in names]


BAD_OPTIONS = {
    "lr": [-1, (1.0, 2.0)],
    "momentum": [-1],
    "weight_decay": [-1],
    "nesterov": [True],
    "betas": [(-1, 0.9), (0.9, 1.0), (0.9, -1)],
    "eps": [-1, (-1, 1), (1, -1)],
    "alpha": [-1],
    "lr_decay": [-1],
    "initial_accumulator_value": [-1],
    "rho": [-1, 2],
    "momentum_decay": [-1],
    "beta2_decay": [1],
    "d": [0.5],
    "adjust_lr_fn": ["x"],
    "etas": [(2, 1.2), (0.5, 0.9)],
}


UNCHECKED = {("ASGD", "alpha"), ("Muon", "eps"), ("Muon", "nesterov")}  # PyTorch does not validate these


@pytest.mark.parametrize("name", NAMES)
def test_bad_options(name):
    options = inspect.signature(getattr(torch.optim, name)).parameters
    for option in options.keys() & BAD_OPTIONS.keys():
        for value in BAD_OPTIONS[option]:
            ours, theirs = (outcome(partial(make, lib, name, option, value)) for lib in LIBRARIES)
            assert ours == theirs
            assert ours[0] is not None or (name, option) in UNCHECKED


def make(library, name, option, value):
    given = library.tensor(value) if option == "lr" and isinstance(value, tuple) else value
    return getattr(library.optim, name)([one(library)], **{option: given})


def required(library):
    return importlib.import_module(f"{library.__name__}.optim.optimizer").required


MISTAKES = {
    "fused and foreach": lambda lib: adam(lib, fused=True, foreach=True),
    "fused and differentiable": lambda lib: lib.optim.SGD([one(lib)], fused=True, differentiable=True),
    "tensor lr with foreach": lambda lib: adam(lib, lr=lib.tensor(0.1), foreach=True),
    "mixed betas": lambda lib: adam(lib, betas=(0.9, lib.tensor(0.99))),
    "tensor betas with foreach": lambda lib: adam(lib, betas=(lib.tensor(0.9), lib.tensor(0.99)), foreach=True),
    "a tensor": lambda lib: lib.optim.Adam(lib.ones(2)),
    "nothing": lambda lib: lib.optim.Adam([]),
    "numbers": lambda lib: lib.optim.Adam([1]),
    "a number": lambda lib: lib.optim.Adam(1),
    "text": lambda lib: lib.optim.Adam("ab"),
    "non-leaf": lambda lib: lib.optim.Adam([one(lib) * 2]),
    "twice": lambda lib: lib.optim.Adam([p := one(lib), p]),
    "in two groups": lambda lib: lib.optim.Adam([{"params": [p := one(lib)]}, {"params": [p]}]),
    "set in a group": lambda lib: lib.optim.Adam([{"params": {one(lib)}}]),
    "group without params": lambda lib: lib.optim.Adam([{"lr": 1}]),
    "some names": lambda lib: lib.optim.Adam([("a", one(lib)), one(lib)]),
    "some names 2": lambda lib: lib.optim.Adam([one(lib), ("a", one(lib))]),
    "names in the first group": lambda lib: lib.optim.Adam([{"params": named(lib, "a")}, {"params": [one(lib)]}]),
    "names in the second group": lambda lib: lib.optim.Adam([{"params": [one(lib)]}, {"params": named(lib, "a")}]),
    "named number": lambda lib: lib.optim.Adam([("a", 3)]),
    "group is a list": lambda lib: adam(lib).add_param_group([one(lib)]),
    "required": lambda lib: lib.optim.Optimizer([{"params": one(lib)}], {"lr": required(lib)}),
    "group count": lambda lib: adam(lib).load_state_dict(
        lib.optim.Adam([{"params": [one(lib)]}, {"params": [one(lib)]}]).state_dict()
    ),
    "group size": lambda lib: adam(lib).load_state_dict(lib.optim.Adam([one(lib), one(lib)]).state_dict()),
    "empty dictionary": lambda lib: adam(lib).load_state_dict({}),
    "abstract step": lambda lib: lib.optim.Optimizer([one(lib)], {}).step(),
    "LBFGS without closure": lambda lib: lib.optim.LBFGS([one(lib)]).step(),
    "LBFGS groups": lambda lib: lib.optim.LBFGS([{"params": [one(lib)]}, {"params": [one(lib)]}]),
    "Muon of a vector": lambda lib: lib.optim.Muon([lib.nn.Parameter(lib.ones(2))]),
    "unknown option": lambda lib: adam(lib, speed=3),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_errors_equal_pytorchs(name):
    ours, theirs = (outcome(lambda lib=lib: MISTAKES[name](lib)) for lib in LIBRARIES)
    assert ours == theirs
    assert ours != (None, [])


CAPTURABLE = [name for name in NAMES if "capturable" in inspect.signature(getattr(torch.optim, name)).parameters]


def first_step(lib, name, **options):
    param = one(lib)
    param.grad = lib.ones_like(param)
    getattr(lib.optim, name)([param], **options).step()


@pytest.mark.parametrize("foreach", [None, True])
@pytest.mark.parametrize("name", CAPTURABLE)
def test_capturable_is_refused_by_the_first_step_on_the_cpu(name, foreach):
    options = dict(capturable=True, foreach=foreach)
    ours, theirs = (outcome(lambda lib=lib: first_step(lib, name, **options)) for lib in LIBRARIES)
    assert ours == theirs
    assert ours[0] is not None


def test_capturable_is_refused_on_other_devices(monkeypatch):
    monkeypatch.setattr(torchlike.Tensor, "device", property(lambda self: torchlike.device("cuda", 0)))
    with pytest.raises(NotImplementedError, match="capturable"):
        torchlike.optim.Adam([one(torchlike)], capturable=True)


@pytest.mark.parametrize("name", NAMES)
def test_same_signature(name):
    ours, theirs = (inspect.signature(getattr(lib.optim, name)).parameters.values() for lib in LIBRARIES)
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_repr_and_fresh_state_dict(name, options):
    ours, theirs = (getattr(lib.optim, name)([one(lib)], **options) for lib in LIBRARIES)
    assert repr(ours) == repr(theirs)
    same(ours.state_dict(), theirs.state_dict())


def test_repr_of_groups():
    ours, theirs = (lib.optim.SGD([{"params": one(lib), "lr": 3}, {"params": [one(lib)]}]) for lib in LIBRARIES)
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_state_moves_from_pytorch_and_back(name, options):
    pair = Pair(name, **options)
    ours, theirs = pair.optimizers[torchlike], pair.optimizers[torch]
    params = pair.params[torch]
    for seed in (1, 2, 3):
        give_grads(torch, params, arrays(seed))
        theirs.step()
    with torchlike.no_grad():
        for mine, other in zip(pair.params[torchlike], params):
            mine.copy_(torchlike.from_numpy(other.detach().numpy().copy()))
    ours.load_state_dict(converted(theirs.state_dict(), torchlike))
    pair.check()
    for seed in (4, 5, 6):
        pair.step(seed)
        pair.check()
    fresh = getattr(torch.optim, name)(params, **options)
    fresh.load_state_dict(converted(ours.state_dict(), torch))
    pair.optimizers[torch] = fresh
    pair.step(7)
    pair.check()


def converted(value, library):
    """Convert the tensors of a state dictionary to the other library, through NumPy."""
    if isinstance(value, (torch.Tensor, torchlike.Tensor)):
        return library.from_numpy(np.array(value.detach().numpy()))
    if isinstance(value, dict):
        return {k: converted(v, library) for k, v in value.items()}
    return [converted(v, library) for v in value] if isinstance(value, list) else value


def test_loading_casts_state_but_not_the_count():
    made = []
    for lib in LIBRARIES:
        saved = stepped(lib).state_dict()
        saved["state"][0]["extra"] = [lib.ones(2, dtype=lib.float64), {"step": lib.ones(1, dtype=lib.float64)}]
        saved["state"][0]["step"] = 3.0
        saved["state"]["note"] = 5
        fresh = adam(lib)
        fresh.load_state_dict(saved)
        made.append(fresh.state_dict())
    same(*made)


def stepped(library, **options):
    optimizer = adam(library, **options)
    give_grads(library, optimizer.param_groups[0]["params"], [np.ones((2, 2), np.float32)])
    optimizer.step()
    return optimizer


def test_old_checkpoints_lack_options():
    made = []
    for lib in LIBRARIES:
        saved = adam(lib).state_dict()
        for name in ("amsgrad", "maximize", "fused", "decoupled_weight_decay"):
            del saved["param_groups"][0][name]
        fresh = adam(lib)
        fresh.load_state_dict(saved)
        made.append({k: v for k, v in fresh.param_groups[0].items() if k != "params"})
    assert made[0] == made[1]


@pytest.mark.parametrize("name, option", [("SGD", "fused"), ("RMSprop", "momentum"), ("Adadelta", "weight_decay")])
def test_old_checkpoints_of_other_optimizers(name, option):
    made = []
    for lib in LIBRARIES:
        optimizer = getattr(lib.optim, name)([one(lib)])
        saved = optimizer.state_dict()
        del saved["param_groups"][0][option]
        optimizer.load_state_dict(saved)
        made.append({k: v for k, v in optimizer.param_groups[0].items() if k != "params"})
        give_grads(lib, optimizer.param_groups[0]["params"], [np.ones((2, 2), np.float32)])
        made[-1]["outcome"] = outcome(optimizer.step)
    assert made[0] == made[1]


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adagrad"])
def test_counters_of_fused_steps(name):
    made = []
    for lib in LIBRARIES:
        lib.set_default_dtype(lib.float64)
        try:
            p = one(lib)
            optimizer = getattr(lib.optim, name)([p], fused=True)
            p.sum().backward()
            optimizer.step()
            made.append(str(optimizer.state[p]["step"].dtype).split(".")[-1])
        finally:
            lib.set_default_dtype(lib.float32)
    assert made == ["float32", "float32"]


def test_names():
    made = []
    for lib in LIBRARIES:
        optimizer = lib.optim.Adam(named(lib, "a", "b"))
        plain = lib.optim.Adam([one(lib), one(lib)])
        dictionaries = [optimizer.state_dict(), plain.state_dict()]
        optimizer.load_state_dict(dictionaries[1])
        plain.load_state_dict(dictionaries[0])
        made.append([*dictionaries, optimizer.state_dict(), plain.state_dict()])
    same(*made)


def test_groups_are_read_at_every_step():
    pair = Pair("SGD", groups=lambda p: [{"params": p[:1], "lr": 0.5}, {"params": p[1:2], "momentum": 0.9}], lr=0.1)
    pair.step(1)
    pair.check()
    for optimizer, params in zip(pair.optimizers.values(), pair.params.values()):
        optimizer.add_param_group({"params": params[2], "momentum": 0.5, "dampening": 0.1})
    for seed in (2, 3):
        pair.step(seed)
        pair.check()
    for optimizer in pair.optimizers.values():  # a parameter moves to another group and keeps its state
        first, second = optimizer.param_groups[:2]
        first["params"].append(second["params"].pop())
        first["momentum"] = 0.3
    for seed in (4, 5):
        pair.step(seed)
        pair.check()


def test_moving_parameters_between_groups_keeps_the_count():
    for order in ((0, 1), (1, 0)):
        pair = Pair("Adam", groups=lambda p: [{"params": p[:2]}, {"params": p[2:], "lr": 0.1}])
        for seed in (1, 2):
            pair.step(seed)
        for optimizer in pair.optimizers.values():
            source, target = (optimizer.param_groups[i]["params"] for i in order)
            target.append(source.pop(0))
        for seed in (3, 4):
            pair.step(seed)
            pair.check()


def test_state_may_be_edited():
    pair = Pair("Adam")
    pair.step(1)
    for lib, optimizer in pair.optimizers.items():
        param = pair.params[lib][0]
        optimizer.state[param]["step"] = lib.tensor(10.0)
        optimizer.state[param]["exp_avg"].zero_()
        del optimizer.state[pair.params[lib][1]]
    pair.step(2)
    pair.check()
    for optimizer in pair.optimizers.values():
        optimizer.state.clear()
    pair.step(3)
    pair.check()


def test_turning_an_option_on_later():
    pair = Pair("SGD", lr=0.1)
    pair.step(1)
    for momentum in (0.9, 0, 0.9):
        for optimizer in pair.optimizers.values():
            optimizer.param_groups[0]["momentum"] = momentum
        for seed in (2, 3):
            pair.step(seed)
            pair.check()


def test_state_is_what_pytorch_keeps():
    optimizer = stepped(torchlike)
    param = optimizer.param_groups[0]["params"][0]
    step = optimizer.state[param]["step"]
    assert (step.dtype, step.device.type, step.shape, step.item()) == (torchlike.float32, "cpu", (), 1.0)
    assert optimizer.state is optimizer.state
    optimizer.step()
    assert optimizer.state[param]["step"].item() == 2.0


def test_closure():
    for lib in LIBRARIES:
        optimizer = adam(lib)
        (param,) = optimizer.param_groups[0]["params"]

        def closure(lib=lib, param=param):
            assert lib.is_grad_enabled()
            give_grads(lib, [param], [np.ones((2, 2), np.float32)])
            return "loss"

        with lib.no_grad():
            assert optimizer.step(closure) == "loss"
        assert optimizer.step() is None


def test_zero_grad():
    params = parameters(torchlike, arrays(0))
    optimizer = torchlike.optim.SGD(params)
    give_grads(torchlike, params, [*arrays(1)[:2], None])
    grads = [p.grad for p in params]
    optimizer.zero_grad(set_to_none=False)
    assert [p.grad is g for p, g in zip(params, grads)] == [True] * 3
    assert not params[0].grad.numpy().any()
    optimizer.zero_grad()
    assert [p.grad for p in params] == [None] * 3


def test_hooks():
    logs = []
    for lib in LIBRARIES:
        log = []
        optimizer = adam(lib)
        module = importlib.import_module(f"{lib.__name__}.optim.optimizer")
        before = module.register_optimizer_step_pre_hook(lambda o, a, k, log=log: log.append("all pre"))
        after = module.register_optimizer_step_post_hook(lambda o, a, k, log=log: log.append("all post"))
        optimizer.register_step_pre_hook(lambda o, a, k: (a, {"closure": lambda: "replaced"}))
        optimizer.register_step_post_hook(lambda o, a, k, log=log: log.append((len(a), k["closure"]())))
        log.append(optimizer.step())
        before.remove()
        after.remove()
        optimizer.register_state_dict_pre_hook(lambda o, log=log: log.append("pre"))
        optimizer.register_state_dict_pre_hook(lambda o, log=log: log.append("first"), prepend=True)
        optimizer.register_state_dict_post_hook(lambda o, s: {**s, "more": 1})
        optimizer.register_load_state_dict_pre_hook(lambda o, s, log=log: log.append(s["more"]))
        optimizer.register_load_state_dict_post_hook(lambda o, log=log: log.append("loaded"))
        optimizer.load_state_dict(optimizer.state_dict())
        log.append(optimizer.step())
        logs.append(log)
    assert logs[0] == logs[1]


def test_bad_pre_hook():
    optimizer = adam(torchlike)
    optimizer.register_step_pre_hook(lambda o, a, k: (3, 4, 5))
    with pytest.raises(
        RuntimeError, match=r"must return None or a tuple of \(new_args, new_kwargs\), but got \(3, 4, 5\)."
    ):
        optimizer.step()


@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_copies(name, options):
    """Check that copies and pickles own their parameters and continue from the state of the original."""
    params = parameters(torchlike, arrays(0))
    optimizer = getattr(torchlike.optim, name)(params, **options)
    give_grads(torchlike, params, arrays(1))
    optimizer.step()
    copies = [copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))]
    for made in [optimizer, *copies]:
        held = made.param_groups[0]["params"]
        give_grads(torchlike, held, arrays(2))
        made.step()
    for made in copies:
        assert repr(made) == repr(optimizer)
        for a, b in zip(made.param_groups[0]["params"], params):
            assert a is not b
            np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())


def test_a_subclass_of_ones_own():
    class Sign(torchlike.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        def step(self, closure=None):
            for group in self.param_groups:
                for param in group["params"]:
                    self.state[param]["seen"] = self.state[param].get("seen", 0) + 1
                    with torchlike.no_grad():
                        param.add_(param.grad.sign(), alpha=-group["lr"])

    params = parameters(torchlike, arrays(0))
    optimizer = Sign(params, 0.5)
    calls = []
    optimizer.register_step_post_hook(lambda *args: calls.append(1))
    give_grads(torchlike, params, arrays(1))
    optimizer.step()
    assert calls == [1]
    assert optimizer.state_dict()["state"][2] == {"seen": 1}
    for param, start, grad in zip(params, arrays(0), arrays(1)):
        np.testing.assert_allclose(param.detach().numpy(), start - 0.5 * np.sign(grad), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:optimizer contains a parameter group with duplicate")
@pytest.mark.parametrize("name, options", ONE_EACH, ids=lambda each: each if isinstance(each, str) else "")
def test_duplicates_are_stepped_one_after_the_other(name, options):
    found = []
    for lib in LIBRARIES:
        first, second = one(lib), one(lib)
        optimizer = getattr(lib.optim, name)([first, second, first], **options)
        for step in range(3):
            give_grads(lib, [first, second], [np.full((2, 2), n, np.float32) for n in (step - 1.5, 2)])
            optimizer.step()
        found.append((first, second, optimizer.state_dict()))
    same(found[0][0], found[1][0])
    same(found[0][1], found[1][1])
    same(found[0][2], found[1][2])


@pytest.mark.filterwarnings("ignore:optimizer contains a parameter group with duplicate")
def test_duplicates_cannot_be_stepped_together():
    param = one(torchlike)
    optimizer = torchlike.optim.SGD([param, param], foreach=True)
    give_grads(torchlike, [param], [np.ones((2, 2), np.float32)])
    with pytest.raises(NotImplementedError, match="same parameter twice"):
        optimizer.step()


def test_tensor_rate_is_read_at_every_step():
    lr = torchlike.tensor(0.5)
    param = one(torchlike)
    optimizer = torchlike.optim.SGD([param], lr=lr)
    for rate in (0.5, 0.25):
        lr.fill_(rate)
        before = param.detach().numpy().copy()
        give_grads(torchlike, [param], [np.ones((2, 2), np.float32)])
        optimizer.step()
        np.testing.assert_allclose(param.detach().numpy(), before - rate)
    assert optimizer.param_groups[0]["lr"] is lr


def test_an_optimizer_with_its_own_constructor():
    """An optimizer that does not call the constructor of `Optimizer` may wrap its `step` itself."""
    logs = []
    for library in (torch, torchlike):
        log = []

        class Around(library.optim.Optimizer):
            def __init__(self, inner):
                self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks = OrderedDict(), OrderedDict()
                self._patch_step_function()
                self.inner = inner

            def step(self, log=log):
                log.append("step")
                return self.inner.step()

        p = library.nn.Parameter(library.ones(2))
        p.grad = library.ones(2)
        optimizer = Around(library.optim.SGD([p], 0.5))
        optimizer.register_step_post_hook(lambda o, a, k, log=log: log.append(type(o).__name__))
        optimizer.step()
        log += [p.tolist(), Around.step.hooked, optimizer._zero_grad_profile_name]
        logs.append(log)
    assert logs[0] == logs[1]
