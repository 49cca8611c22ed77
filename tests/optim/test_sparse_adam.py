"""`SparseAdam` and the behavior of other optimizers with sparse gradients, compared with PyTorch."""

import functools
import inspect

import numpy as np
import pytest
import torch

import torchlike
from tests import oracle
from tests.sparse.parts import seen

pytestmark = pytest.mark.filterwarnings("ignore:Sparse invariant checks")
both = functools.partial(oracle.both, stride=False)  # PyTorch over-allocates the member tensors of sparse tensors

STEPS = [(1, 2, 1), (3, 0, 1), (4, 4, 4), (), (2, 1, 0)]  # row indices of each gradient


def parameter(torch, dtype="float32"):
    return torch.nn.Parameter((torch.arange(15.0).reshape(5, 3) / 7).to(getattr(torch, dtype)))


def gradient(torch, rows, seed=0, dtype="float32"):
    values = np.random.default_rng(seed).standard_normal((len(rows), 3)).astype("float32")
    index = torch.tensor(np.array([rows], np.int64).reshape(1, -1).tolist(), dtype=torch.int64)
    return torch.sparse_coo_tensor(index, torch.from_numpy(values).to(getattr(torch, dtype)), (5, 3))


def stepped(torch, name, dtype="float32", steps=STEPS, **options):
    """Return a parameter and its optimizer after the given steps."""
    w = parameter(torch, dtype)
    optimizer = getattr(torch.optim, name)([w], **options)
    for seed, rows in enumerate(steps):
        w.grad = gradient(torch, rows, seed, dtype)
        optimizer.step()
    return w, optimizer


def shown(w, optimizer):
    return w, {name: seen(value) if hasattr(value, "layout") else value for name, value in optimizer.state[w].items()}


CASES = [
    ("SparseAdam", {}),
    ("SparseAdam", dict(lr=0.1, maximize=True)),
    ("SparseAdam", dict(lr=0.1, betas=(0.5, 0.6), eps=1e-3)),
    ("SparseAdam", dict(lr=0.1, betas=(0.0, 0.0))),
    ("Adagrad", dict(lr=0.1)),
    ("Adagrad", dict(lr=0.1, lr_decay=0.1, initial_accumulator_value=0.5, maximize=True)),
    ("Adagrad", dict(lr=0.1, foreach=True)),
    ("SGD", dict(lr=0.1)),
    ("SGD", dict(lr=0.1, maximize=True, foreach=True)),
    ("SGD", dict(lr=0.1, momentum=0.9)),
    ("SGD", dict(lr=0.1, momentum=0.9, dampening=0.3, maximize=True)),
    ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True)),
]
REFUSED = [
    ("Adagrad", dict(weight_decay=0.1)),
    ("Adagrad", dict(fused=True)),
    ("SGD", dict(weight_decay=0.1)),
    ("SGD", dict(fused=True)),
]
IDS = [f"{name}-{options}" for name, options in CASES]


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_steps(name, options):
    both(lambda torch: shown(*stepped(torch, name, **options)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
@pytest.mark.parametrize("name", ["SparseAdam", "Adagrad", "SGD"])
def test_dtypes(name, dtype):
    """Compare steps in each dtype. No row occurs three times, because PyTorch rounds half precision after each term."""
    steps = [(1, 2, 1), (3, 0, 1), (2, 1, 0)]
    both(lambda torch: shown(*stepped(torch, name, dtype, steps, lr=0.1)))


def test_momentum_of_half_precision():
    for dtype in ("bfloat16", "float16"):  # PyTorch has no sum of sparse float16
        both(lambda torch, dtype=dtype: shown(*stepped(torch, "SGD", dtype, [(1, 2), (2, 0)], lr=0.1, momentum=0.9)))


@pytest.mark.parametrize(
    "name",
    [
        "Adadelta",
        "Adafactor",
        "Adam",
        "AdamW",
        "Adamax",
        "ASGD",
        "Muon",
        "NAdam",
        "RAdam",
        "RMSprop",
        "Rprop",
    ],
)
def test_refused_by(name):
    both(lambda torch: stepped(torch, name))


@pytest.mark.parametrize(("name", "options"), REFUSED, ids=str)
def test_refused_options(name, options):
    both(lambda torch: stepped(torch, name, **options))


def test_lbfgs():
    def program(torch):
        w = parameter(torch)
        optimizer = torch.optim.LBFGS([w], max_iter=3)

        def closure():
            optimizer.zero_grad()
            loss = (torch.nn.functional.embedding(torch.tensor([1, 2, 1]), w, sparse=True) ** 2).sum()
            loss.backward()
            return loss

        return optimizer.step(closure), w

    both(program)


@pytest.mark.parametrize("sparse_first", [True, False])
@pytest.mark.parametrize(
    ("name", "options"),
    [("SGD", dict(lr=0.1)), ("SGD", dict(lr=0.1, momentum=0.9)), ("Adagrad", dict(lr=0.1))],
    ids=str,
)
def test_sparse_and_dense_in_turn(name, options, sparse_first):
    """Alternate sparse and dense gradients. A sparse momentum buffer of SGD accepts no dense gradient."""

    def program(torch):
        w = parameter(torch)
        optimizer = getattr(torch.optim, name)([w], **options)
        for step in range(4):
            w.grad = gradient(torch, (1, 2, 1)) if (step % 2 == 0) is sparse_first else torch.ones(5, 3)
            optimizer.step()
        return shown(w, optimizer)

    both(program)


@pytest.mark.parametrize(("name", "options"), [("SGD", dict(lr=0.1, momentum=0.9)), ("Adagrad", dict(lr=0.1))], ids=str)
def test_sparse_and_dense_side_by_side(name, options):
    def program(torch):
        params = [parameter(torch) for _ in range(4)]
        optimizer = getattr(torch.optim, name)(params, **options)
        for step in range(4):
            for i, w in enumerate(params):
                w.grad = gradient(torch, (1, 2, 1), step) if i < 2 else torch.full((5, 3), float(i))
            optimizer.step()
        return [shown(w, optimizer) for w in params]

    both(program)


@pytest.mark.parametrize("name", ["SparseAdam", "Adagrad", "SGD"])
def test_other_sparse_dims(name):
    def program(torch):
        line, matrix = torch.nn.Parameter(torch.ones(5)), torch.nn.Parameter(torch.ones(2, 3))
        optimizer = getattr(torch.optim, name)([line, matrix], lr=0.1)
        for _ in range(2):
            line.grad = torch.sparse_coo_tensor(torch.tensor([[1, 1, 3]]), torch.tensor([1.0, 2.0, 3.0]), (5,))
            places = torch.tensor([[1, 1, 0], [0, 0, 2]])
            matrix.grad = torch.sparse_coo_tensor(places, torch.tensor([1.0, 2.0, 3.0]), (2, 3))
            optimizer.step()
        return line, matrix

    both(program)


# -- SparseAdam --------------------------------------------------------------------------------------------------------


def test_signature():
    ours, theirs = (inspect.signature(library.optim.SparseAdam).parameters.values() for library in (torchlike, torch))
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


def test_shown_as_text():
    both(lambda torch: repr(torch.optim.SparseAdam([("table", parameter(torch))], lr=0.5)))


BAD = [
    dict(lr=0.0),
    dict(lr=-1.0),
    dict(eps=0.0),
    dict(eps=-1.0),
    dict(betas=(1.0, 0.5)),
    dict(betas=(0.5, 1.0)),
    dict(betas=(-0.1, 0.5)),
    dict(betas=(0.5, -0.1)),
]


@pytest.mark.parametrize("options", BAD, ids=str)
def test_bad_options(options):
    both(lambda torch: torch.optim.SparseAdam([parameter(torch)], **options))


BAD_PARAMETERS = {
    "none": lambda torch: [],
    "a tensor": lambda torch: parameter(torch),
    "sparse": lambda torch: [gradient(torch, (1, 2)).requires_grad_()],
    "sparse in groups": lambda torch: [
        {"params": [parameter(torch), gradient(torch, (1, 2)).requires_grad_()]},
        {"params": [gradient(torch, (1,)).requires_grad_()]},
    ],
    "complex": lambda torch: [parameter(torch), torch.ones(2, dtype=torch.complex64).requires_grad_()],
}


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameters(name):
    both(lambda torch: torch.optim.SparseAdam(BAD_PARAMETERS[name](torch)))


@pytest.mark.parametrize("lr", [0.1, [0.1], [0.1, 0.2], 0.0, -1.0], ids=str)
def test_a_rate_that_is_a_tensor(lr):
    both(lambda torch: stepped(torch, "SparseAdam", lr=torch.tensor(lr))[0])


def test_betas_that_are_tensors():
    both(lambda torch: stepped(torch, "SparseAdam", betas=(torch.tensor(0.5), torch.tensor(0.6)))[0])


def test_dense_gradients_are_refused():
    def program(torch):
        params = [parameter(torch), parameter(torch)]
        optimizer = torch.optim.SparseAdam(params)
        params[0].grad, params[1].grad = gradient(torch, (1,)), torch.ones(5, 3)
        try:
            optimizer.step()
        except RuntimeError as error:
            return str(error), params

    both(program)


def test_state_and_closure():
    def program(torch):
        w, optimizer = stepped(torch, "SparseAdam", steps=[(1, 2)])
        kept = optimizer.state[w]
        before = kept["step"]
        w.grad = gradient(torch, (0, 1))
        loss = optimizer.step(lambda: torch.tensor(3.0))
        return loss, before, kept["step"], kept["exp_avg"], list(kept), optimizer.defaults, optimizer.state_dict()

    both(program)


def test_groups_and_late_gradients():
    def program(torch):
        w, v = parameter(torch), parameter(torch)
        optimizer = torch.optim.SparseAdam([{"params": [w], "lr": 0.5}, {"params": [v], "betas": (0.1, 0.2)}])
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        for step in range(4):
            w.grad = None if step == 2 else gradient(torch, (1, 2), step)
            v.grad = gradient(torch, (1, 1), step) if step else None
            optimizer.step()
            schedule.step()
        return w, v, optimizer.state_dict()

    both(program)


def test_state_crosses_between_the_libraries():
    w, optimizer = stepped(torch, "SparseAdam", lr=0.1)
    v, ours = stepped(torchlike, "SparseAdam", steps=[])
    v.data.copy_(torchlike.from_numpy(w.detach().numpy().copy()))
    state = optimizer.state_dict()
    state["state"] = {
        0: {
            k: torchlike.from_numpy(x.numpy().copy()) if isinstance(x, torch.Tensor) else x
            for k, x in state["state"][0].items()
        }
    }
    ours.load_state_dict(state)
    for library, param, opt in ((torch, w, optimizer), (torchlike, v, ours)):
        param.grad = gradient(library, (0, 1, 0), 9)
        opt.step()
    np.testing.assert_allclose(v.detach().numpy(), w.detach().numpy(), rtol=1e-6)
    assert ours.state_dict()["state"][0]["step"] == len(STEPS) + 1
    back = ours.state_dict()
    back["state"] = {
        0: {
            k: torch.from_numpy(x.numpy().copy()) if isinstance(x, torchlike.Tensor) else x
            for k, x in back["state"][0].items()
        }
    }
    optimizer.load_state_dict(back)
    w.grad = gradient(torch, (0, 1, 0), 10)
    optimizer.step()


# -- training ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", ["Embedding", "EmbeddingBag"])
def test_training(layer):
    """Train a sparse table and a linear layer for twenty steps. Losses and weights must be equal."""

    def program(torch):
        options = {"padding_idx": 0} if layer == "Embedding" else {"mode": "mean"}
        table = getattr(torch.nn, layer)(30, 8, sparse=True, **options)
        linear = torch.nn.Linear(8, 1)
        optimizers = [
            torch.optim.SparseAdam(table.parameters(), lr=0.05),
            torch.optim.Adam(linear.parameters(), lr=0.01),
        ]
        x, y = torch.randint(0, 30, (40, 4)), torch.randn(40, 1)
        losses = []
        for step in range(20):
            for optimizer in optimizers:
                optimizer.zero_grad()
            batch = slice(step % 4 * 10, step % 4 * 10 + 10)
            h = table(x[batch])
            loss = torch.nn.functional.mse_loss(linear(h.tanh().sum(1) if layer == "Embedding" else h), y[batch])
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            losses.append(loss.item())
        assert losses[-1] < losses[3]
        return losses, table.weight, linear.weight, optimizers[0].state_dict()

    both(program, rtol=1e-4, atol=1e-5)  # rounding errors accumulate over twenty steps
