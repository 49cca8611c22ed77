"""The quantizable LSTM, and the quantized one."""

import pytest

from tests.oracle import both

pytestmark = [
    pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor, torch.quantize_per_channel and other"),
    pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated", "ignore:Please use quant_min"),
    pytest.mark.filterwarnings("ignore:must run observer before calling"),
]


@pytest.mark.parametrize("split_gates", [False, True])
def test_new_modules(split_gates):
    def run(torch):
        nnqa = torch.ao.nn.quantizable
        cell = nnqa.LSTMCell(3, 4, split_gates=split_gates)
        lstm = nnqa.LSTM(3, 4, bidirectional=True, batch_first=True, split_gates=split_gates)
        x, hidden = torch.randn(2, 5, 3), (torch.ones(2, 2, 4), torch.zeros(2, 2, 4))
        return repr((cell, lstm)), list(lstm.state_dict()), cell(x[0]), lstm(x), lstm(x, hidden), lstm.training

    both(run)


@pytest.mark.parametrize("given", [{}, {"num_layers": 2, "bidirectional": True, "bias": False}, {"batch_first": True}])
@pytest.mark.parametrize("split_gates", [False, True])
def test_the_numbers_of_a_float_lstm(given, split_gates):
    def run(torch):
        lstm = torch.nn.LSTM(3, 4, **given).eval()
        config = torch.ao.quantization.default_qconfig
        made = torch.ao.nn.quantizable.LSTM.from_float(lstm, config, split_gates)
        x = torch.randn(5, 2, 3)
        ours, theirs = made(x), lstm(x)
        return ours, [(a - b).abs().max() < 1e-6 for a, b in zip((ours[0], *ours[1]), (theirs[0], *theirs[1]))]

    both(run)


MISUSES = {
    "kind": lambda torch, nnqa: nnqa.LSTM.from_float(torch.nn.Linear(1, 1)),
    "no configuration": lambda torch, nnqa: nnqa.LSTM.from_float(torch.nn.LSTM(1, 1)),
    "from_observed": lambda torch, nnqa: nnqa.LSTM.from_observed(None),
    "cell": lambda torch, nnqa: nnqa.LSTMCell.from_float(torch.nn.Linear(1, 1)),
    "cell without configuration": lambda torch, nnqa: nnqa.LSTMCell.from_float(torch.nn.LSTMCell(1, 1)),
    "biases": lambda torch, nnqa: nnqa.LSTMCell.from_params(torch.ones(4, 1), torch.ones(4, 1), torch.ones(4)),
    "dropout": lambda torch, nnqa: nnqa.LSTM(1, 1, dropout=2.0),
    "quantized": lambda torch, nnqa: torch.ao.nn.quantized.LSTM.from_observed(torch.nn.LSTM(1, 1)),
}


@pytest.mark.parametrize("name", MISUSES)
def test_misuse(name):
    both(lambda torch: MISUSES[name](torch, torch.ao.nn.quantizable))


def test_a_dropout_warns():
    def run(torch):
        with pytest.warns(UserWarning) as caught:
            torch.ao.nn.quantizable.LSTM(1, 1, dropout=0.5)
        return [str(each.message) for each in caught]

    both(run)


@pytest.mark.parametrize("given", [{}, {"num_layers": 2}, {"bidirectional": True}, {"batch_first": True}])
def test_static_quantization(given):
    def run(torch):
        nn, tq = torch.nn, torch.ao.quantization

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
                self.lstm = nn.LSTM(6, 8, **given)
                self.head = nn.Linear(16 if given.get("bidirectional") else 8, 4)

            def forward(self, x):
                y, (h, c) = self.lstm(self.quant(x))
                return self.dequant(self.head(y)), self.dequant(h), self.dequant(c)

        model, x = Net().eval(), torch.randn(20, 5, 6)
        model.qconfig = tq.get_default_qconfig("x86")
        prepared = tq.prepare(model)
        prepared(x)
        made = tq.convert(prepared)
        return [type(each).__name__ for each in made.modules()], list(made.state_dict()), made(x)

    both(
        run, stride=False, rtol=0, atol=0.02
    )  # one level: PyTorch's kernels round the last elements of an array differently
