"""Traced modules are saved, and loaded where their source is not."""

import io
import subprocess
import sys

import numpy as np
import pytest
import torch

import torchlike
from tests.house.source import ROOT

pytestmark = pytest.mark.filterwarnings("ignore")


def net(L):
    class Net(L.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = L.nn.Linear(3, 4)
            self.rest = L.nn.Sequential(L.nn.ReLU(), L.nn.Dropout(0.5), L.nn.Linear(4, 2))
            self.register_buffer("scale", L.full((2,), 2.0))

        def forward(self, x):
            return self.rest(self.first(x)) * self.scale

    L.manual_seed(0)
    return Net().eval()


def loaded(L, traced, **options):
    file = io.BytesIO()
    L.jit.save(traced, file, **options)
    file.seek(0)
    return L.jit.load(file)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "observe",
    [
        lambda L, module, traced: repr(traced),
        lambda L, module, traced: repr(loaded(L, traced)),
        lambda L, module, traced: [*traced.state_dict()],
        lambda L, module, traced: [*loaded(L, traced).state_dict()],
        lambda L, module, traced: traced.first.weight is module.first.weight,
        lambda L, module, traced: (
            traced.training,
            loaded(L, traced).training,
            dict(loaded(L, traced).named_modules())["rest.1"].training,
        ),
        lambda L, module, traced: isinstance(traced, L.jit.ScriptModule) and isinstance(loaded(L, traced), L.nn.Module),
        lambda L, module, traced: type(loaded(L, traced)).__name__,
        lambda L, module, traced: [p.requires_grad for p in loaded(L, traced).parameters()],
        lambda L, module, traced: loaded(L, loaded(L, traced)).original_name,
    ],
)
def test_files_programs_equal_pytorchs(observe):
    ends = []
    for L in (torch, torchlike):
        module = net(L)
        ends.append(observe(L, module, L.jit.trace(module, L.ones(1, 3))))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_results_at_other_sizes(rows):
    ends = []
    for L in (torch, torchlike):
        module, x = net(L), L.arange(3.0 * rows).reshape(rows, 3)
        made = loaded(L, L.jit.trace(module, L.ones(1, 3)))
        ends.append(made(x).detach().numpy())
        torch.testing.assert_close(torch.from_numpy(ends[-1]), torch.from_numpy(module(x).detach().numpy()))
    torch.testing.assert_close(*map(torch.from_numpy, ends))


def test_a_traced_module_keeps_its_training_mode():
    for L in (torch, torchlike):
        module = net(L)
        traced = L.jit.trace(module, L.ones(1, 3))
        due = traced(L.ones(2, 3)).tolist()
        module.train()
        assert traced(L.ones(2, 3)).tolist() == due and not traced.training and module.training


def test_the_mode_of_a_traced_module_is_its_own():
    for L in (torch, torchlike):
        module = net(L).train()
        traced = L.jit.trace(module, L.ones(1, 3), check_trace=False)
        assert traced.eval() is traced and not traced.training
        assert module.training and all(part.training for part in module.modules())


def test_new_weights_are_saved():
    for L in (torch, torchlike):
        module = net(L)
        traced = L.jit.trace(module, L.ones(1, 3))
        loaded(L, traced)
        module.first.weight.data = L.zeros(4, 3)
        with L.no_grad():
            module.first.bias.fill_(1.0)
        assert loaded(L, traced).first.weight.sum() == 0 and loaded(L, traced).first.bias.tolist() == [1.0] * 4


def test_a_traced_module_trains_the_original():
    for L in (torch, torchlike):
        module = net(L)
        traced = L.jit.trace(module, L.ones(1, 3))
        before = module.first.weight.tolist()
        traced(L.ones(2, 3)).sum().backward()
        L.optim.SGD(traced.parameters(), 0.1).step()
        assert module.first.weight.tolist() != before


SHOWN = """
import io, warnings
import torch
warnings.simplefilter("always")

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 2)
        self.rest = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(2, 2))

    def forward(self, x):
        return self.rest(self.first(x))

with warnings.catch_warnings(record=True) as caught:
    for make in (lambda net: torch.jit.trace(net, torch.ones(1, 3)), torch.jit.script):
        made = make(Net())
        file = io.BytesIO()
        torch.jit.save(made, file)
        file.seek(0)
        for each in (made, torch.jit.load(file)):
            print(type(each), each.original_name, each, sep="\\n")
# PyTorch also warns once for each function of its own that it compiles first here.
print(*sorted({(each.category.__name__, str(each.message)) for each in caught}), sep="\\n")
"""


def test_an_unmodified_program_prints_the_same(tmp_path):
    script = tmp_path / "shown.py"
    script.write_text(SHOWN)
    runs = [
        subprocess.run([sys.executable, *flags, str(script)], capture_output=True, text=True, check=True, cwd=ROOT)
        for flags in ([], ["-m", "torchlike"])
    ]
    assert runs[1].stdout == runs[0].stdout


def test_a_loaded_module_trains():
    ends = []
    for L in (torch, torchlike):
        L.manual_seed(0)
        module = loaded(L, L.jit.trace(net(L), L.ones(1, 3)))
        optimizer = L.optim.SGD(module.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            module(L.ones(2, 3)).square().sum().backward()
            optimizer.step()
        ends.append({name: tensor.tolist() for name, tensor in module.state_dict().items()})
    assert ends[0].keys() == ends[1].keys()
    for name, expected in ends[0].items():
        np.testing.assert_allclose(ends[1][name], expected, rtol=1.3e-6, atol=1e-6)


def test_functions():
    for L in (torch, torchlike):
        traced = L.jit.trace(lambda x, y: (x * y, x.sum()), (L.ones(2, 3), L.ones(2, 3)))
        assert isinstance(traced, L.jit.ScriptFunction)
        product, total = loaded(L, traced)(L.full((4, 3), 2.0), L.full((4, 3), 3.0))
        assert product.tolist() == [[6.0] * 3] * 4 and total.item() == 24


def test_extra_files(tmp_path):
    for L in (torch, torchlike):
        L.jit.trace(net(L), L.ones(1, 3)).save(str(tmp_path / "net.pt"), _extra_files={"notes": "text"})
        extra = {"notes": ""}
        L.jit.load(str(tmp_path / "net.pt"), _extra_files=extra)
        assert extra == {"notes": b"text"}


def test_errors(tmp_path):
    (tmp_path / "text.pt").write_text("hello")
    for L in (torch, torchlike):
        with pytest.raises(ValueError, match="does not exist"):
            L.jit.load(str(tmp_path / "missing.pt"))
        with pytest.raises(RuntimeError):
            L.jit.load(str(tmp_path / "text.pt"))
        with pytest.raises(AttributeError, match="no attribute 'save_to_buffer'"):
            L.jit.save(net(L), io.BytesIO())


def test_pytorchs_files_are_refused_with_the_remedy():
    file = io.BytesIO()
    torch.jit.save(torch.jit.trace(net(torch), torch.ones(1, 3)), file)
    file.seek(0)
    with pytest.raises(RuntimeError, match=r"written by PyTorch.*load the state dict"):
        torchlike.jit.load(file)


def test_a_branch_on_elements_is_saved_as_traced():
    ends = []
    for L in (torch, torchlike):

        class Branch(L.nn.Module):
            def forward(self, x):
                return x * 2 if x.sum() > 0 else -x

        traced = L.jit.trace(Branch(), L.ones(2))
        ends.append([each(-L.ones(n)).tolist() for each in (traced, loaded(L, traced)) for n in (2, 3)])
    assert ends[0] == ends[1] == [[-2.0] * 2, [-2.0] * 3] * 2


def test_sizes_that_cannot_vary_are_refused():
    module = torchlike.nn.Sequential(torchlike.nn.Flatten(), torchlike.nn.Linear(6, 2))
    made = loaded(torchlike, torchlike.jit.trace(module, torchlike.ones(4, 2, 3)))
    assert made(torchlike.ones(9, 2, 3)).shape == (9, 2)
    with pytest.raises(RuntimeError, match="Guard failed"):
        made(torchlike.ones(4, 3, 3))
