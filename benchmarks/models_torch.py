"""The benchmark models and the training loop written for PyTorch. The argument `torch` is PyTorch or torchlike."""

from itertools import cycle, pairwise


def mlp(torch, depth, width, classes=10):
    nn = torch.nn
    hidden = [layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(*hidden, nn.Linear(width, classes))


def cnn(torch, channels, classes=10):
    nn = torch.nn

    def block(inputs, outputs):
        convolution = nn.Conv2d(inputs, outputs, kernel_size=3, padding=1)
        return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2))

    side = 32 >> (len(channels) - 1)
    blocks = [block(inputs, outputs) for inputs, outputs in pairwise(channels)]
    return nn.Sequential(*blocks, nn.Flatten(), nn.Linear(channels[-1] * side * side, classes))


def lstm(torch, inputs, hidden, classes):
    nn = torch.nn

    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(inputs, hidden, batch_first=True)
            self.head = nn.Linear(hidden, classes)

        def forward(self, x):
            return self.head(self.lstm(x)[0])  # (B, T, classes)

    return Reader()


def block(torch, width, heads, causal):
    """Return a pre-norm transformer block."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            B, T, D = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(B, T, 3, -1, D // heads).permute(2, 0, 3, 1, 4)  # (B, H, T, D/H)
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
            x = x + self.project(attended.transpose(1, 2).reshape(B, T, -1))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    return Block()


def gpt(torch, layers, width, heads, time, vocabulary):
    nn = torch.nn

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(time, width)
            self.blocks = nn.ModuleList(block(torch, width, heads, True) for _ in range(layers))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

        def forward(self, tokens):
            x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))  # (B, T, vocabulary)

    return GPT()


def build(torch, spec):
    return {"mlp": mlp, "cnn": cnn, "lstm": lstm, "gpt": gpt}[spec.kind](torch, **spec.sizes)


def optimizer_of(torch, spec, model):
    if spec.optimizer == "sgd":
        return torch.optim.SGD(model.parameters(), lr=spec.lr, momentum=0.9)
    return {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[spec.optimizer](model.parameters(), lr=spec.lr)


def parts(torch, spec, weights, device):
    """Return the model, the optimizer, and an endless iterator over the batches."""
    model = build(torch, spec)
    model.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    model.to(device)
    batches = [tuple(torch.from_numpy(part).to(device) for part in batch) for batch in spec.batches()]
    return model, optimizer_of(torch, spec, model), cycle(batches)


def whole_stepper(torch, spec, weights, device):
    """Return a stepper like `stepper` with the whole step compiled. The step ends with `zero_grad()`, so that gradients
    need not be returned, as in the JAX version."""
    model, optimizer, upcoming = parts(torch, spec, weights, device)

    @torch.compile(fullgraph=True)
    def update(x, y):
        loss = torch.nn.functional.cross_entropy(model(x).flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    def step():
        return update(*next(upcoming)).item()

    step.memory = update.memory
    return step


def stepper(torch, spec, weights, device, compiled=False):
    """Return a function that trains on the next batch and returns the loss as a number."""
    model, optimizer, upcoming = parts(torch, spec, weights, device)

    def loss_on(x, y):
        return torch.nn.functional.cross_entropy(model(x).flatten(0, -2), y.flatten())

    if compiled:
        loss_on = torch.compile(loss_on)

    def step():
        x, y = next(upcoming)
        loss = loss_on(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step
