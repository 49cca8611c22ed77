"""Random modules with four input and output features, assembled from blocks."""

from __future__ import annotations

from random import Random

LINEAR = "nn.Linear(4, 4)"
# (weight, initializer of `self.N`, statement of `forward`)
BLOCKS: list[tuple[int, str, str]] = [
    (9, LINEAR, "x = self.N(x)"),
    (3, "nn.Linear(4, 4, bias=False)", "x = self.N(x)"),
    (4, "nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 4))", "x = self.N(x)"),
    (2, "nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])", "for layer in self.N:\n    x = layer(x)"),
    (
        1,
        "nn.ModuleDict({'up': nn.Linear(4, 6), 'down': nn.Linear(6, 4)})",
        "x = self.N['down'](self.N['up'](x).sigmoid())",
    ),
    (3, "nn.LayerNorm(4)", "x = self.N(x)"),
    (1, "nn.LayerNorm(4, elementwise_affine=False)", "x = self.N(x)"),
    (1, "nn.RMSNorm(4)", "x = self.N(x)"),
    (2, "nn.GroupNorm(1, 4)", "x = self.N(x)"),
    (6, "nn.BatchNorm1d(4)", "x = self.N(x)"),
    (2, "nn.BatchNorm1d(4, momentum=None)", "x = self.N(x)"),
    (1, "nn.BatchNorm1d(4, affine=False)", "x = self.N(x)"),
    (1, "nn.BatchNorm1d(4, track_running_stats=False)", "x = self.N(x)"),
    (1, "nn.BatchNorm2d(2)", "x = self.N(x.reshape(-1, 2, 2, 1)).flatten(1)"),
    (1, "nn.InstanceNorm1d(2, affine=True, track_running_stats=True)", "x = self.N(x.reshape(-1, 2, 2)).flatten(1)"),
    (1, "nn.PReLU(4)", "x = self.N(x)"),
    (3, "nn.Dropout(0.3)", "x = self.N(x)"),
    (2, "nn.Conv1d(1, 1, 3, padding=1)", "x = self.N(x.unsqueeze(1)).squeeze(1)"),
    (2, "nn.Conv1d(2, 2, 1)", "x = self.N(x.reshape(-1, 2, 2)).flatten(1)"),
    (2, "nn.Conv2d(1, 4, 2)", "x = x + self.N(x.reshape(-1, 1, 2, 2)).flatten(1)"),
    (1, "nn.ConvTranspose1d(1, 1, 1)", "x = self.N(x.unsqueeze(1)).squeeze(1)"),
    (3, "nn.Embedding(5, 4)", "x = x + self.N(ids[:len(x)])"),
    (1, "nn.Embedding(5, 4, padding_idx=0)", "x = x * self.N(ids[:len(x)])"),
    (1, "nn.Embedding(5, 4, max_norm=0.7)", "x = x + self.N(ids[:len(x)])"),
    (1, "nn.EmbeddingBag(5, 4)", "x = x + self.N(ids[:len(x)].unsqueeze(1))"),
    (
        2,
        "nn.MultiheadAttention(4, 2, batch_first=True)",
        "x = self.N(x[None], x[None], x[None], need_weights=False)[0][0]",
    ),
    (2, "nn.Linear(4, 12)", "x = F.scaled_dot_product_attention(*self.N(x)[None].chunk(3, -1))[0]"),
    (1, "nn.TransformerEncoderLayer(4, 2, 8, 0.1, batch_first=True)", "x = self.N(x[None])[0]"),
    (2, "nn.GRU(4, 4)", "x = self.N(x.unsqueeze(1))[0].squeeze(1)"),
    (1, "nn.LSTM(4, 4, batch_first=True)", "x = self.N(x.unsqueeze(0))[0].squeeze(0)"),
    (1, "nn.RNN(4, 4)", "x = self.N(x.unsqueeze(1))[0].squeeze(1)"),
    (2, "nn.GRUCell(4, 4)", "x = self.N(x)"),
    (1, "nn.LSTMCell(4, 4)", "x, _ = self.N(x)"),
    (4, "nn.Parameter(torch.ones(4))", "x = x * self.N"),
    (1, "nn.ParameterList([nn.Parameter(torch.full((4,), 0.5)) for _ in range(2)])", "x = x * self.N[0] + self.N[1]"),
    (1, "nn.ParameterDict({'scale': nn.Parameter(torch.ones(()))})", "x = x * self.N['scale']"),
    (1, "nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))", "x = self.N(x)"),
    (1, "nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4))", "x = self.N(x)"),
    (1, "nn.Bilinear(4, 4, 4)", "x = self.N(x, x)"),
    (1, "[nn.Parameter(torch.ones(4))]", "x = x * self.N[0]"),  # a list, so the parameter is not registered
]
# (initial value of a buffer `self.N`, statement of `forward` that changes it)
BUFFERS: list[tuple[str, str]] = [
    ("torch.zeros(())", "self.N.add_(1)"),
    ("torch.zeros(())", "self.N += 1"),
    ("torch.zeros(())", "self.N = self.N + 1"),
    ("torch.zeros(4)", "self.N = self.N * 0.9 + x.detach().mean(0) * 0.1"),
    ("torch.zeros(4)", "self.N.mul_(0.9).add_(x.detach().mean(0), alpha=0.1)"),
    ("torch.zeros(4)", "self.N.copy_(x.detach()[0])"),
    ("torch.zeros(4)", "self.N[:2] = x.detach().amax(0)[:2]"),
    ("torch.zeros(4)", "self.N.lerp_(x.detach().mean(0), 0.2)"),
    ("torch.ones(4)", "x = x * self.N"),
    ("torch.ones(4)", "x = x * self.N\nself.N.mul_(0.9)"),
    ("torch.zeros(3, 4)", "self.N.data = x.detach().clone()"),
    ("torch.zeros(2, 4)", "self.N[1] = self.N[0].clone()\nself.N[0] = x.detach().sum(0)"),
]
# Statements with which `forward` stores an intermediate result.
TRACES = (
    "self.last = x",
    "self.last = x.detach()",
    "self.seen.append(x.detach().mean())",
    "self.seen = [x.detach()]",
    "self.store['x'] = x.detach()",
    "self.last = x.detach()[0]",
)
ACTIVATIONS = (
    "torch.tanh(x)",
    "torch.sigmoid(x)",
    "F.gelu(x)",
    "F.silu(x)",
    "F.softplus(x)",
    "x.sin()",
    "F.elu(x)",
    "F.softmax(x, -1)",
    "x.tanh_()",
    "F.dropout(x, 0.2, self.training)",
)
KINKED = ("F.relu(x)", "F.leaky_relu(x, 0.1)", "F.relu(x, inplace=True)", "x.clamp(-1, 1)", "x.clamp_(min=-1)")
_WEIGHTS = [weight for weight, *_ in BLOCKS]
NAMES = "abcdef"


_MULTIPLY = ("Norm", "Attention", "Encoder", "_norm")  # layers that amplify rounding errors over so few elements


def choose_blocks(random: Random, is_exact: bool, is_opaque: bool) -> list[tuple[str, str]]:
    """Choose two to four blocks and return their initializers and statements."""
    rows = [(init, use) for _, init, use in random.choices(BLOCKS, _WEIGHTS, k=random.randint(2, 4))]
    rows = [row for row in rows if is_exact or not any(name in row[0] for name in _MULTIPLY)]
    rows = [row for row in rows if is_opaque or "momentum=None" not in row[0]]
    return rows or [BLOCKS[0][1:]]


def write_model(random: Random, blocks: list[tuple[str, str]], is_exact: bool, is_opaque: bool) -> list[str]:
    """Write the class of a model and a statement that creates an instance.

    Args:
      is_exact: Allow layers that amplify rounding errors.
      is_opaque: Allow statements that end the capture of a call.
    """
    init, forward = [], []
    for name, (made, use) in zip(NAMES, blocks):
        init.append(f"self.{name} = {made}")
        use = use.replace("self.N", f"self.{name}")
        forward.append(use)
        if random.random() < 0.5:
            forward.append(f"x = {random.choice(ACTIVATIONS + (KINKED if is_exact else ()))}")
    if random.random() < 0.2:
        start = "h = x"
        forward = [start, *forward, "x = x + h"]
    for name in ("p", "q")[: random.choice((0, 0, 1, 1, 2))]:
        value, use = random.choice([row for row in BUFFERS if is_opaque or "self.N = " not in row[1]])
        persistent = random.choice(("", "", ", persistent=False"))
        init.append(f"self.register_buffer('{name}', {value}{persistent})")
        forward.insert(random.randint(0, len(forward)), use.replace("self.N", f"self.{name}"))
    if is_opaque and random.random() < 0.4:
        init += ["self.last = None", "self.seen = []", "self.store = {}"]
        forward.insert(random.randint(0, len(forward)), random.choice(TRACES))
    linear = [name for name, (made, _) in zip(NAMES, blocks) if made == LINEAR]
    if linear and random.random() < 0.15:
        forward.append(f"x = F.linear(x, self.{linear[0]}.weight.t())")
    lines = ["class Net(nn.Module):", "    def __init__(self):", "        super().__init__()"]
    lines += _indented(init, 8) + ["    def forward(self, x):", *_indented([*forward, "return x"], 8)]
    statements = ["\n".join(lines), "model = Net()"]
    if len(linear) > 1 and random.random() < 0.4:
        statements.append(f"model.{linear[0]}.weight = model.{linear[1]}.weight")
    return statements


def _indented(lines: list[str], by: int) -> list[str]:
    return [" " * by + part for line in lines for part in line.split("\n")]
