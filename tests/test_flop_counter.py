"""Operations counted beside PyTorch's counter, by module, forward and backward."""

import importlib

import pytest
import torch as pytorch

import torchlike
from torchlike.utils.flop_counter import FlopCounterMode


def _leaf(torch, *shape):
    return torch.randn(*shape, requires_grad=True)


def _model(torch):
    inner = torch.nn.Sequential(torch.nn.Conv1d(1, 2, 2), torch.nn.ReLU())
    return torch.nn.Sequential(torch.nn.Linear(3, 4), inner)


def _convolve(torch, *shapes, transposed=False, **options):
    function = torch.nn.functional.conv_transpose2d if transposed else torch.nn.functional.conv2d
    function(*[_leaf(torch, *shape) for shape in shapes], **options).sum().backward()


PROGRAMS = {
    "modules": lambda t: _model(t)(t.randn(5, 1, 3)).sum().backward(),
    "modules, input differentiated": lambda t: _model(t)(_leaf(t, 5, 1, 3)).sum().backward(),
    "no_grad": lambda t: t.no_grad()(_model(t))(t.randn(5, 1, 3)),
    "mm": lambda t: (_leaf(t, 3, 4) @ _leaf(t, 4, 5)).sum().backward(),
    "mv": lambda t: (_leaf(t, 3, 4) @ _leaf(t, 4)).sum().backward(),
    "dot": lambda t: _leaf(t, 4) @ _leaf(t, 4),
    "bmm": lambda t: t.bmm(_leaf(t, 2, 3, 4), _leaf(t, 2, 4, 5)).sum().backward(),
    "a batch and a matrix": lambda t: (_leaf(t, 2, 3, 4) @ _leaf(t, 4, 5)).sum().backward(),
    "addmm": lambda t: t.addmm(_leaf(t, 5), _leaf(t, 3, 4), _leaf(t, 4, 5)).sum().backward(),
    "baddbmm": lambda t: t.baddbmm(_leaf(t, 2, 3, 5), _leaf(t, 2, 3, 4), _leaf(t, 2, 4, 5)).sum().backward(),
    "einsum": lambda t: t.einsum("bij,bjk->bik", _leaf(t, 2, 3, 4), _leaf(t, 2, 4, 5)),
    "conv": lambda t: _convolve(t, (2, 3, 8, 8), (4, 3, 3, 3), (4,)),
    "strides": lambda t: _convolve(t, (2, 3, 9, 9), (4, 3, 3, 3), stride=2, padding=1),
    "padding": lambda t: _convolve(t, (2, 3, 9, 9), (4, 3, 1, 1), padding=1),
    "dilation": lambda t: _convolve(t, (2, 4, 12, 12), (4, 4, 3, 3), dilation=2),
    "transposed": lambda t: _convolve(t, (2, 4, 5, 5), (4, 3, 3, 3), transposed=True, stride=2),
    "groups": lambda t: t.nn.functional.conv2d(t.randn(2, 4, 8, 8), t.randn(8, 2, 3, 3), groups=2),
    "every channel by itself": lambda t: t.nn.functional.conv2d(t.randn(2, 4, 8, 8), t.randn(4, 1, 3, 3), groups=4),
    "attention": lambda t: t.nn.MultiheadAttention(8, 2)(*[_leaf(t, 3, 2, 8) for _ in range(3)])[0].sum().backward(),
    "meta": lambda t: t.nn.Linear(3, 4, device="meta")(t.randn(2, 3, device="meta")),
    "nothing": lambda t: t.ones(3).sum(),
}


def _counted(torch, program):
    counter = importlib.import_module(f"{torch.__name__}.utils.flop_counter").FlopCounterMode(display=False)
    with counter:
        PROGRAMS[program](torch)
    counts = counter.get_flop_counts()
    return counter.get_total_flops(), {name: _joined(found) for name, found in counts.items() if found}


def _joined(found):
    """The counts by operator; a product with an addition joins the products, since a linear layer is one or the other
    by the rank of its input."""
    joined = {}
    for operator, count in found.items():
        name = {"aten.addmm": "aten.mm", "aten.baddbmm": "aten.bmm"}.get(str(operator), str(operator))
        joined[name] = joined.get(name, 0) + count
    return joined


@pytest.mark.parametrize("program", PROGRAMS)
def test_counts(program):
    assert _counted(torchlike, program) == _counted(pytorch, program)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_a_boundary_in_the_middle_loses_nothing(executor):
    def total(read):
        with FlopCounterMode(display=False) as counter:
            x = torchlike.randn(3, 4)
            for _ in range(3):
                x = x @ torchlike.ones(4, 4)
                if read:
                    x.sum().item()
        return counter.get_total_flops()

    with torchlike.set_executor(executor):
        assert total(True) == total(False) == 3 * 2 * 3 * 4 * 4


def test_what_came_before_does_not_count_and_compiled_functions_do():
    step = torchlike.compile(lambda x: x @ x)
    x = torchlike.randn(3, 3) @ torchlike.randn(3, 3)
    for _ in range(3):
        step(x)
    with FlopCounterMode(display=False) as counter:
        step(x)
    step(x)
    assert counter.get_total_flops() == 54


def test_attention_counts_its_products_on_the_cpu_too():
    with FlopCounterMode(display=False) as counter:
        q, k, v = torchlike.randn(3, 2, 2, 5, 4)
        torchlike.nn.functional.scaled_dot_product_attention(q, k, v)
    assert counter.get_total_flops() == 2 * (2 * 2 * 2 * 5 * 5 * 4)


def test_the_table_shows_modules_down_to_a_depth(capsys):
    model = _model(torchlike)
    with FlopCounterMode(depth=1):
        model(torchlike.randn(5, 1, 3))
    shown = capsys.readouterr().out
    assert shown.splitlines()[0].split() == ["Module", "FLOP", "%", "Total"]
    assert "Sequential" in shown and "Sequential.1" not in shown and "100.00%" in shown


def test_mods_warns_and_custom_mapping_is_refused():
    with pytest.warns(UserWarning, match="mods argument is not needed anymore"):
        FlopCounterMode(torchlike.nn.Linear(1, 1))
    with pytest.raises(NotImplementedError, match="custom_mapping"):
        FlopCounterMode(custom_mapping={torchlike.mm: len})
