"""The random numbers of accelerators: Philox, the generator's state, captures and recomputation.

CPU devices stand in for the accelerators. The expected numbers of `test_seeded_numbers_are_those_of_cuda` are those
that PyTorch prints on GPUs for these well-known seeds.
"""

import copy
import gc
import hashlib
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import torchlike as torch
from torchlike._dtypes.devices import stand_ins
from torchlike._engine import Value
from torchlike._engine.xla.target import tracing_for
from torchlike._ops.random.philox import philox
from torchlike._random import _philox
from torchlike.nn.attention import SDPBackend, sdpa_kernel
from torchlike.utils.checkpoint import checkpoint


@pytest.fixture(autouse=True)
def accelerators():
    with stand_ins("cuda", jax.devices("cpu")[:1]), stand_ins("tpu", jax.devices("cpu")[:1]):
        torch.manual_seed(0)
        yield


def _words(*numbers):
    return tuple(jnp.asarray(np.array(n, np.uint32)) for n in numbers)


# The known answers of the authors' library Random123 for philox4x32 with ten rounds.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize("platform", ["cpu", "tpu"])
@pytest.mark.parametrize(("counter", "key", "due"), KNOWN)
def test_philox_gives_the_known_answers(counter, key, due, platform):
    with tracing_for(platform):
        assert tuple(int(x) for x in philox(_words(*counter), _words(*key))) == due


# The first half of the SHA-256 of the first 1,000 words after counter 0 for each seed, as the package randomgen 2.5.1
# generates them: `Philox(key=seed, counter=0, number=4, width=32).random_raw(1000)`.
STREAMS = {
    0: "f4e22e5f763afd5d",
    1: "872e5d7b17b354a3",
    2: "532f3dd2ab472015",
    42: "ad9f0b9962027583",
    123: "d9ac1a6d78ecd790",
    1234: "554cec3206d3086c",
    65535: "6b0e5bd6eb03e256",
    2**31: "6b1c8dc574849f59",
    2**32 + 5: "023fc4c1313b17e4",
    2**63 + 11: "2fead4a10cd6471f",
}


@pytest.mark.parametrize("seed", STREAMS)
def test_philox_gives_the_streams_of_another_implementation(seed):
    counters = jnp.arange(1, 251, dtype=jnp.uint32)
    zeros = jnp.zeros_like(counters)
    for platform in ("cpu", "tpu"):
        with tracing_for(platform):
            words = philox((counters, zeros, zeros, zeros), _words(seed & 0xFFFFFFFF, seed >> 32))
        found = np.stack([np.asarray(x) for x in words], -1)
        assert hashlib.sha256(found.tobytes()).hexdigest()[:16] == STREAMS[seed]


def test_seeded_numbers_are_those_of_cuda():
    draw = lambda seed, make: (torch.manual_seed(seed), make(5, device="cuda"))[1].tolist()
    close = lambda due: pytest.approx(due, abs=5e-5)
    assert draw(0, torch.rand) == close([0.3990, 0.5167, 0.0249, 0.9401, 0.9459])
    assert draw(0, torch.randn) == close([-0.9247, -0.4253, -2.6438, 0.1452, -0.1209])
    assert draw(42, torch.rand) == close([0.6130, 0.0101, 0.3984, 0.0403, 0.1563])
    assert draw(42, torch.randn) == close([0.1940, 2.1614, -0.1721, 0.8491, -1.9244])


# -- the state ---------------------------------------------------------------------------------------------------------


def test_the_state_has_16_bytes_the_seed_and_the_offset():
    torch.cuda.manual_seed(258)
    torch.rand(5, device="cuda")
    state = torch.cuda.get_rng_state()
    assert state.tolist() == [2, 1, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0] and state.device.type == "cpu"
    first = torch.rand(3, device="cuda")
    torch.cuda.set_rng_state(state)
    assert torch.equal(torch.rand(3, device="cuda"), first)
    torch.cuda.set_rng_state(state[:8])  # a state without an offset
    assert torch.cuda.get_rng_state()[8:].tolist() == [0] * 8


@pytest.mark.parametrize("kind", ["cuda", "tpu"])
def test_a_generator_of_a_device_has_its_own_stream(kind):
    g = torch.Generator(kind)
    assert isinstance(g, torch.Generator) and g.device == torch.device(kind, 0)
    assert g.manual_seed(7) is g and (g.initial_seed(), g.get_offset()) == (7, 0)
    before = torch.rand(2, device=kind, generator=g)
    assert [g.device for g in torch.cuda.default_generators] == [torch.device("cuda:0")]
    others = [g.clone_state(), copy.deepcopy(g), pickle.loads(pickle.dumps(g))]
    due = torch.randn(4, device=kind, generator=g)
    assert not torch.equal(due[:2], before)
    for other in others:
        assert torch.equal(torch.randn(4, device=kind, generator=other), due)
    g.set_offset(4)
    assert torch.equal(torch.randn(4, device=kind, generator=g), due)
    with pytest.raises(RuntimeError, match="multiple of 4"):
        g.set_offset(3)


def test_manual_seed_seeds_all_devices_and_leaves_the_cpu_stream_alone():
    numbers = lambda: [torch.rand(2), torch.rand(2, device="cuda").cpu(), torch.rand(2, device="tpu").cpu()]
    torch.manual_seed(5)
    first = numbers()
    torch.manual_seed(5)
    assert all(map(torch.equal, numbers(), first))
    torch.manual_seed(5)
    torch.rand(9, device="cuda")
    assert torch.equal(torch.rand(2), first[0])
    assert torch.seed() == torch.initial_seed() == torch.cuda.initial_seed()


def test_a_generator_of_another_device_is_refused():
    with pytest.raises(RuntimeError, match="Expected a 'cpu' device type for generator but found 'cuda'"):
        torch.rand(2, generator=torch.Generator("cuda"))
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"):
        torch.rand(2, device="cuda", generator=torch.Generator())
    with pytest.raises(RuntimeError, match="RNG state is wrong size"):
        torch.cuda.set_rng_state(torch.get_rng_state())


def test_fork_rng_restores_all_generators():
    state = torch.get_rng_state(), torch.cuda.get_rng_state()
    with torch.random.fork_rng():
        torch.manual_seed(9)
        torch.rand(3), torch.rand(3, device="cuda")
    assert all(map(torch.equal, (torch.get_rng_state(), torch.cuda.get_rng_state()), state))


def test_a_view_is_filled_in_the_order_of_its_memory():
    torch.manual_seed(6)
    due = torch.rand(12, device="cuda")
    for view, order in (
        (torch.zeros(3, 4, device="cuda").T, lambda x: x.T),
        (torch.zeros(3, 2**18, device="cuda")[:, :: 2**16], lambda x: x),  # rows that are as far apart as the streams
        (torch.zeros(4, 5, 6, device="cuda")[1:3, 1:4, :2].permute(2, 0, 1), lambda x: x.permute(1, 2, 0)),
    ):
        torch.manual_seed(6)
        assert torch.equal(order(view.uniform_()).reshape(-1), due)


def test_a_position_is_restored_after_other_changes_of_the_offset():
    g = torch.Generator("cuda")
    due = torch.rand(2, device="cuda", generator=g), torch.rand(2, device="cuda", generator=g)
    g.set_offset(0)
    mark = g.mark()
    g.set_offset(4)
    assert torch.equal(torch.rand(2, device="cuda", generator=g), due[1])
    g.rewind(mark)
    assert torch.equal(torch.rand(2, device="cuda", generator=g), due[0])


# -- programs ----------------------------------------------------------------------------------------------------------


def _network():
    torch.manual_seed(1)
    layers = torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Dropout(0.3), torch.nn.Linear(32, 8), torch.nn.Dropout()
    return torch.nn.Sequential(*layers).to("cuda")


def _trained(compiled, segment=lambda net, x: net(x)):
    net = _network()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)

    def step(x):
        optimizer.zero_grad()
        loss = (segment(net, x + 0.1 * torch.randn(x.shape, device="cuda")) - x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    run = torch.compile(step, fullgraph=True) if compiled else step
    torch.manual_seed(2)
    losses = [run(torch.ones(4, 8, device="cuda")).item() for _ in range(6)]
    return losses, torch.cuda.get_rng_state().tolist(), run


def test_a_compiled_step_advances_the_generator_as_the_recorded_step_does():
    (losses, state, _), (due, due_state, _) = _trained(True), _trained(False)
    assert losses == pytest.approx(due, rel=1e-5) and state == due_state
    assert len({*losses}) == 6


# A reentrant checkpoint runs a nested backward pass, which is not compiled whole.
@pytest.mark.parametrize(("compiled", "reentrant"), [(False, False), (False, True), (True, False)])
def test_checkpoint_recomputes_the_same_numbers(compiled, reentrant):
    segment = lambda net, x: checkpoint(net, x.requires_grad_(), use_reentrant=reentrant)
    losses, state, _ = _trained(compiled, segment)
    due, due_state, _ = _trained(False)
    assert losses == pytest.approx(due, rel=1e-5) and state == due_state


def test_a_seed_within_a_compiled_function_is_repeated():
    @torch.compile(fullgraph=True)
    def seeded(x):
        before = torch.rand(3, device="cuda")
        torch.manual_seed(4)
        return before, torch.rand(3, device="cuda") + x, torch.rand(3, device="cuda")

    x = torch.zeros(3, device="cuda")
    runs = []
    for seed in (0, 0, 1, 1):
        torch.manual_seed(seed)
        runs.append([t.tolist() for t in seeded(x)] + [torch.cuda.get_rng_state().tolist()])
    assert runs[0] == runs[1] and runs[2] == runs[3]
    assert runs[0][0] != runs[2][0] and runs[0][1:] == runs[2][1:]


def _arrays(shape):
    """Return the ids of all arrays of this shape that a Value of an accelerator refers to."""
    gc.collect()
    values = [x for x in gc.get_objects() if type(x) is Value and x.aval.device.type == "cuda"]
    return {id(value.array) for value in values if value.aval.shape == shape}


def test_a_compiled_step_with_dropout_keeps_no_old_parameters():
    before = _arrays((32, 8))
    _, _, step = _trained(True)
    # The weight, its gradient and AdamW's two averages remain.
    assert step is not None and len(_arrays((32, 8)) - before) == 4


@pytest.mark.parametrize("seeded", [False, True])
def test_the_first_use_of_an_accelerator_may_be_within_a_compiled_function(seeded, monkeypatch):
    def draw(x):
        if seeded:
            torch.manual_seed(5)
        return torch.rand(3, device="cuda") + x

    def run(function):
        monkeypatch.setattr(_philox, "_defaults", {})
        torch.manual_seed(7)
        x = torch.zeros(3, device="cuda")
        return [function(x).tolist() for _ in range(3)]

    runs = run(torch.compile(draw, fullgraph=True))
    assert runs == run(draw) and len(set(map(tuple, runs))) == (1 if seeded else 3)


@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_a_compiled_function_that_seeds_from_entropy_takes_a_new_seed_at_each_call(device):
    @torch.compile
    def draw(x):
        chosen = torch.seed()
        return chosen, torch.rand(3, device=device) + x

    runs = [draw(torch.zeros(3, device=device)) for _ in range(4)]
    assert len({chosen for chosen, _ in runs}) == len({tuple(x.tolist()) for _, x in runs}) == 4


@pytest.mark.parametrize("seeded", [False, True])
def test_a_generator_that_a_compiled_function_makes_begins_anew(seeded):
    def draw(x):
        g = torch.Generator("cuda")
        if seeded:
            g.manual_seed(5)
        return torch.rand(3, device="cuda", generator=g) + x

    compiled, x = torch.compile(draw), torch.zeros(3, device="cuda")
    for _ in range(3):
        assert torch.equal(compiled(x), draw(x))


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_fork_rng_within_a_compiled_function_continues_the_stream(device, before, within):
    def forked(x):
        first = torch.rand(3, device=device) if before else x
        with torch.random.fork_rng():
            inner = torch.rand(3, device=device) if within else x
            torch.manual_seed(4)
            seeded = torch.rand(3, device=device)
        return first, inner, seeded, torch.rand(3, device=device) + x

    def run(function):
        torch.manual_seed(7)
        x = torch.zeros(3, device=device)
        return [[t.tolist() for t in function(x)] for _ in range(4)]

    runs = run(torch.compile(forked, fullgraph=True))
    assert runs == run(forked)
    assert len({tuple(last) for *_, last in runs}) == 4


@pytest.mark.parametrize("compiled", [False, True])
def test_dropout_drops_the_same_elements_of_the_gradient(compiled):
    def forward(x):
        return torch.nn.functional.dropout(x * 1, 0.4)

    forward = torch.compile(forward) if compiled else forward
    for _ in range(3):
        x = torch.ones(50, 20, device="cuda", requires_grad=True)
        y = forward(x)
        y.sum().item()
        y.sum().backward()
        assert torch.equal(x.grad, y.detach()) and y.unique().tolist() == pytest.approx([0, 1 / 0.6])
        assert abs((y == 0).double().mean().item() - 0.4) < 0.08


@pytest.mark.parametrize("length", [5, 700])
def test_attention_by_blocks_drops_the_same_weights(length):
    tensors = [torch.randn(2, 3, length, 4, device="cuda", requires_grad=True) for _ in range(3)]

    def run(*backends):
        torch.manual_seed(3)
        with sdpa_kernel([*backends]):
            out = torch.nn.functional.scaled_dot_product_attention(*tensors, dropout_p=0.3)
        return [out, *torch.autograd.grad(out.square().sum(), tensors)]

    # The mathematical form generates the factors of all weights at once.
    for blocks, whole in zip(run(SDPBackend.EFFICIENT_ATTENTION), run(SDPBackend.MATH)):
        assert torch.allclose(blocks, whole, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("randomness", ["same", "different"])
def test_vmap_randomness(randomness):
    def example(x):
        return torch.nn.functional.dropout(x, 0.5), torch.rand(6, device="cuda"), torch.randperm(9, device="cuda")

    for made in torch.func.vmap(example, randomness=randomness)(torch.ones(4, 30, device="cuda")):
        rows = {tuple(row.tolist()) for row in made}
        assert len(rows) == (1 if randomness == "same" else 4)
    with pytest.raises(RuntimeError, match="randomness error mode"):
        torch.func.vmap(example)(torch.ones(4, 30, device="cuda"))
