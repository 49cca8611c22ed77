"""`FlopCounterMode`, compared with PyTorch's: counts, their modules, and the printed table."""

from itertools import pairwise

import pytest
import torch
import torch.utils.flop_counter
import torch.utils.module_tracker

import torchlike
from tests.oracle import both

PRODUCTS = {
    "mm": lambda L, R: R(3, 4) @ R(4, 5),
    "mv": lambda L, R: R(3, 4) @ R(4),
    "dot": lambda L, R: R(4) @ R(4),
    "a vector times a matrix": lambda L, R: R(4) @ R(4, 5),
    "bmm": lambda L, R: R(2, 3, 4) @ R(2, 4, 5),
    "a batch times a matrix": lambda L, R: R(2, 3, 4) @ R(4, 5),
    "broadcast batches": lambda L, R: R(2, 1, 3, 4) @ R(5, 4, 6),
    "torch.mm": lambda L, R: L.mm(R(3, 4), R(4, 5)),
    "torch.bmm": lambda L, R: L.bmm(R(2, 3, 4), R(2, 4, 5)),
    "addmm": lambda L, R: L.addmm(R(5), R(3, 4), R(4, 5)),
    "baddbmm": lambda L, R: L.baddbmm(R(5), R(2, 3, 4), R(2, 4, 5)),
    "addmv": lambda L, R: L.addmv(R(3), R(3, 4), R(4)),
    "outer": lambda L, R: L.outer(R(5), R(3)),
    "tensordot": lambda L, R: L.tensordot(R(5, 2, 3), R(2, 3, 4), dims=2),
    "multi_dot": lambda L, R: L.linalg.multi_dot([R(3, 4), R(4, 5), R(5, 2)]),
    "linear": lambda L, R: L.nn.functional.linear(R(3, 4), R(5, 4), R(5)),
    "linear without bias": lambda L, R: L.nn.functional.linear(R(2, 3, 4), R(5, 4)),
    "linear of a vector": lambda L, R: L.nn.functional.linear(R(4), R(5, 4), R(5)),
    "linear of four dims": lambda L, R: L.nn.functional.linear(R(2, 2, 3, 4), R(5, 4), R(5)),
    "einsum of batches": lambda L, R: L.einsum("bij,bjk->bik", R(2, 3, 4), R(2, 4, 5)),
    "einsum with an ellipsis": lambda L, R: L.einsum("...ij,jk", R(2, 3, 4), R(4, 5)),
    "einsum of rows": lambda L, R: L.einsum("ij,ij->i", R(3, 4), R(3, 4)),
    "einsum without a sum": lambda L, R: L.einsum("i,j->ij", R(3), R(4)),
    "einsum of three": lambda L, R: L.einsum("ij,jk,kl->il", R(3, 4), R(4, 5), R(5, 2)),
    "einsum of one": lambda L, R: L.einsum("ij->ji", R(3, 4)),
    "conv1d": lambda L, R: L.nn.functional.conv1d(R(2, 3, 8), R(4, 3, 3)),
    "conv2d": lambda L, R: L.nn.functional.conv2d(R(2, 4, 8, 8), R(6, 4, 3, 3), R(6), stride=2, padding=1),
    "conv2d in groups": lambda L, R: L.nn.functional.conv2d(R(2, 4, 8, 8), R(6, 2, 3, 3), R(6), groups=2),
    "conv2d of one sample": lambda L, R: L.nn.functional.conv2d(R(4, 8, 8), R(6, 4, 3, 3)),
    "conv2d, same": lambda L, R: L.nn.functional.conv2d(R(1, 4, 8, 8), R(6, 4, 3, 3), padding="same"),
    "conv3d": lambda L, R: L.nn.functional.conv3d(R(1, 3, 5, 5, 5), R(4, 3, 3, 3, 3)),
    "conv_transpose2d": lambda L, R: L.nn.functional.conv_transpose2d(R(2, 4, 5, 5), R(4, 6, 3, 3), stride=2),
    "conv_transpose1d in groups": lambda L, R: L.nn.functional.conv_transpose1d(R(2, 4, 5), R(4, 3, 3), groups=2),
    "fused attention": lambda L, R: attention(L, R(2, 2, 3, 4), R(2, 2, 5, 4), R(2, 2, 5, 4)),
    "attention of three dims": lambda L, R: attention(L, R(2, 3, 4), R(2, 5, 4), R(2, 5, 4)),
    "attention with dropout": lambda L, R: attention(L, R(2, 2, 3, 4), R(2, 2, 5, 4), R(2, 2, 5, 4), dropout_p=0.5),
}
MODELS = {
    "mlp": (lambda nn: nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Sequential(nn.Linear(5, 3))), (2, 4)),
    "convolutions": (
        lambda nn: nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2)),
        (2, 3, 6, 6),
    ),
    "encoder": (lambda nn: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 3, 8)),
    "RNN": (lambda nn: nn.RNN(4, 5, num_layers=2), (3, 2, 4)),
    "GRU": (lambda nn: nn.GRU(4, 5, bidirectional=True), (3, 2, 4)),
    "LSTM": (lambda nn: nn.LSTM(4, 5), (3, 2, 4)),
    "LSTMCell": (lambda nn: nn.LSTMCell(4, 5), (2, 4)),
}


def attention(library, *args, **options):
    return library.nn.functional.scaled_dot_product_attention(*args, **options)


def counted(library, function):
    with library.utils.flop_counter.FlopCounterMode(display=False) as counter:
        function()
    counts = counter.get_flop_counts()
    return {name: {str(op): n for op, n in sorted(counts[name].items(), key=str)} for name in sorted(counts)}, counter


def first(output):
    return output[0] if isinstance(output, tuple) else output


@pytest.mark.parametrize("trains", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_the_numbers_of_one_operator(name, trains):
    def program(library):
        def run():
            made = PRODUCTS[name](library, lambda *shape: library.ones(shape, requires_grad=trains))
            if trains:
                made.sum().backward()

        counts, counter = counted(library, run)
        return {op: n for op, n in counts.get("Global", {}).items() if n}, counter.get_total_flops()

    both(program)


def test_only_the_gradients_that_are_computed_count():
    def program(library):
        F = library.nn.functional
        x, w, b = library.ones(2, 4, 8, 8), library.ones(6, 2, 3, 3), library.ones(6)
        found = []
        for chosen in ((x,), (w,), (b,)):
            for each in (x, w, b):
                each.requires_grad_(any(each is one for one in chosen))
            found.append(counted(library, lambda: F.conv2d(x, w, b, groups=2).sum().backward())[0])
        matrix = library.ones(4, 5, requires_grad=True)
        return found, counted(library, lambda: (library.ones(3, 4) @ matrix).sum().backward())[0]

    both(program)


@pytest.mark.parametrize("trains", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("name", MODELS)
def test_the_numbers_of_each_module(name, trains):
    make, shape = MODELS[name]

    def program(library):
        model = make(library.nn)

        def run():
            out = first(model(library.ones(shape)))
            if trains:
                out.sum().backward()

        counts, counter = counted(library, run)
        # Add the counts of all operators: PyTorch chooses the matrix products inside attention by strides.
        return {module: sum(n.values()) for module, n in counts.items()}, counter.get_total_flops()

    both(program)


def test_the_meta_device_counts_too():
    def program(library):
        layer = library.nn.Linear(3, 4, device="meta")
        return counted(library, lambda: layer(library.empty(2, 3, device="meta")).sum().backward())[0]

    both(program)


def test_a_block_counts_anew_and_leaves_nothing_behind():
    def program(library):
        _, counter = counted(library, lambda: library.ones(2, 3) @ library.ones(3, 4))
        with counter:
            pass
        library.nn.Linear(2, 2)(library.ones(1, 2))
        return counter.get_total_flops(), counter.get_flop_counts()

    both(program)


def test_compiled_functions_count():
    compiled = torchlike.compile(lambda x: x @ x)
    for _ in range(2):
        _, counter = counted(torchlike, lambda: compiled(torchlike.ones(3, 3)))
        assert counter.get_total_flops() == 54


def test_vmap_and_forward_mode_work_inside():
    x = torchlike.ones(2, 3)
    with torchlike.utils.flop_counter.FlopCounterMode(display=False):
        mapped = torchlike.func.vmap(lambda row: row * 2)(x)
        _, tangent = torchlike.func.jvp(lambda y: y * y, (x,), (x,))
    assert mapped.tolist() == tangent.tolist() == [[2.0] * 3] * 2


def test_mods_is_not_needed():
    both(lambda L: type(L.utils.flop_counter.FlopCounterMode(L.nn.Linear(1, 1), display=False)).__name__)


def test_unsupported_functions_raise():
    with pytest.raises(NotImplementedError, match="custom_mapping"):
        torchlike.utils.flop_counter.FlopCounterMode(custom_mapping={torchlike.ops.aten.mm: len})
    with pytest.raises(NotImplementedError, match="register_flop_formula"):
        torchlike.utils.flop_counter.register_flop_formula(torchlike.ops.aten.mm)


TABLES = [
    ({"Global": {"mm": 120}, "A": {"mm": 120}}, 5),
    ({"Global": {"mm": 120, "bmm": 8}, "A": {"mm": 100}, "A.b": {"mm": 20}, "A.b.c": {"mm": 20}}, 2),
    ({"Global": {"mm": 12_345_678}, "A": {"mm": 100}, "A.z": {"bmm": 3}, "A.a": {"bmm": 4, "addmm": 4}}, None),
    ({"Global": {"mm": 9999}}, 1),
    ({"Global": {"mm": 10_000}}, 1),
    ({"Global": {"mm": 10**16}}, 1),
    ({"Global": {}}, 2),
]


@pytest.mark.parametrize("counts, depth", TABLES, ids=range(len(TABLES)))
def test_the_table(counts, depth):
    shown = []
    for library in (torch, torchlike):
        counter = library.utils.flop_counter.FlopCounterMode(display=False, depth=depth)
        for module, flops in counts.items():
            counter.flop_counts[module].update({getattr(library.ops.aten, op): n for op, n in flops.items()})
        shown.append(counter.get_table())
    assert shown[0] == shown[1]


def test_the_table_is_printed_at_the_end(capsys):
    with torchlike.utils.flop_counter.FlopCounterMode(depth=1):
        torchlike.nn.Sequential(torchlike.nn.Linear(40, 50))(torchlike.ones(30, 40))
    assert capsys.readouterr().out.splitlines() == [
        "Module            FLOP    % Total",
        "------------  --------  ---------",
        "Sequential    120.000K    100.00%",
        "- aten.addmm  120.000K    100.00%",
    ]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("mask", [[True, True, True], [False, True, False], [True, False, False]], ids=str)
def test_convolution_backward(transposed, mask):
    def program(library):
        library.manual_seed(0)
        x, w = library.randn(2, 4, 7, 7), library.randn(4, 2, 3, 3)
        rest = ([2, 1], [1, 0], [1, 1], transposed, [0, 0], 2)
        out = library.ops.aten.convolution(x, w, None, *rest)
        g = library.randn(out.shape)
        return library.ops.aten.convolution_backward(g, x, w, [out.shape[1]], *rest, mask)

    both(program)


CHAINS = [
    (3, 4, 5, 2),
    (5, 4, 3, 2),
    (2, 2, 2, 2),
    (3, 4, 5, 2, 6),
    (2, 2, 2, 2, 2),
    (7, 1, 7, 1, 7, 2),
    (10, 3, 9, 2, 8, 4),
]


@pytest.mark.parametrize("sizes", CHAINS, ids=str)
def test_a_chain_of_matrices_is_multiplied_in_the_cheapest_order(sizes):
    def program(library):
        library.manual_seed(0)
        matrices = [library.randn(a, b) for a, b in pairwise(sizes)]
        vectors = [matrices[0][0], *matrices[1:-1], matrices[-1][:, 0]]
        return (
            counted(library, lambda: library.linalg.multi_dot(matrices))[1].get_total_flops(),
            library.linalg.multi_dot(matrices),
            library.linalg.multi_dot(vectors),
        )

    both(program)


def test_module_tracker():
    def program(library):
        seen = []
        tracker = library.utils.module_tracker.ModuleTracker()
        model = library.nn.Sequential(library.nn.Linear(2, 2), library.nn.Linear(2, 1))
        model[1].register_forward_pre_hook(lambda *_: seen.append((sorted(tracker.parents), tracker.is_bw)))
        model[1].weight.register_hook(lambda _: seen.append(("Global" in tracker.parents, tracker.is_bw)))
        with tracker:
            model(library.ones(3, 2)).sum().backward()
            seen.append(sorted(tracker.parents))
        return seen

    both(program)
