"""Small training runs, as programs that return the losses of fifty steps.

They are typical user code and do not depend on the library that `torch` refers to.
"""

STEPS = 50


def _images(torch, count):
    """Return random images of shape 1 x 8 x 8 and classes that depend on them."""
    pictures = torch.randn(count, 1, 8, 8)
    return pictures, (pictures.mean((1, 2, 3)) * 20).long().clamp(-2, 2) + 2


def mlp_with_dropout(torch):
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 3)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(16, 10), torch.randint(0, 3, (16,))
    for _ in range(STEPS):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


def cnn_with_batch_norm_and_shuffles(torch):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 3 * 3, 5)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    data = torch.utils.data.TensorDataset(*_images(torch, 40))
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
    for _ in range(STEPS // 5):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()


def lstm(torch):
    nn = torch.nn
    cells, head = nn.LSTM(4, 16, num_layers=2, dropout=0.2, batch_first=True), nn.Linear(16, 1)
    optimizer = torch.optim.Adam([*cells.parameters(), *head.parameters()], lr=1e-2)
    x = torch.randn(8, 12, 4)
    y = x.cumsum(1)[..., :1].tanh()
    for _ in range(STEPS):
        loss = nn.functional.mse_loss(head(cells(x)[0]), y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(cells.parameters(), 1.0)
        optimizer.step()
        yield loss.item()


def transformer_encoder(torch):
    nn = torch.nn
    embed = nn.Embedding(20, 16)
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True)
    encoder, head = nn.TransformerEncoder(layer, 2), nn.Linear(16, 20)
    parameters = [p for m in (embed, encoder, head) for p in m.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3)
    x = torch.randint(0, 20, (4, 10))
    for _ in range(STEPS):
        loss = nn.functional.cross_entropy(head(encoder(embed(x))).view(-1, 20), x.roll(1, 1).view(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


def vae(torch):
    nn, F = torch.nn, torch.nn.functional
    encoder, decoder = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8)), nn.Linear(4, 64)
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
    x = torch.rand(16, 64)
    for _ in range(STEPS):
        mean, log_variance = encoder(x).chunk(2, dim=1)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        loss = F.binary_cross_entropy_with_logits(decoder(z), x, reduction="sum") + divergence
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


def gan(torch):
    nn, F = torch.nn, torch.nn.functional
    maker = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
    judge = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(16, 1))
    of_maker = torch.optim.Adam(maker.parameters(), lr=1e-3, betas=(0.5, 0.999))
    of_judge = torch.optim.Adam(judge.parameters(), lr=1e-3, betas=(0.5, 0.999))
    ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
    for _ in range(STEPS):
        real = torch.randn(16, 2) * 0.5 + 1
        made = maker(torch.randn(16, 4))
        loss = F.binary_cross_entropy_with_logits(judge(real), ones)
        loss = loss + F.binary_cross_entropy_with_logits(judge(made.detach()), zeros)
        of_judge.zero_grad()
        loss.backward()
        of_judge.step()
        fooled = F.binary_cross_entropy_with_logits(judge(made), ones)
        of_maker.zero_grad()
        fooled.backward()
        of_maker.step()
        yield loss.item() + fooled.item()


def reinforce(torch):
    """Train a contextual bandit by REINFORCE. The reward is 1 if the action is the sign of the first observation."""
    nn, Categorical = torch.nn, torch.distributions.Categorical
    policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for _ in range(STEPS):
        seen = torch.randn(16, 3)
        choice = Categorical(logits=policy(seen))
        action = choice.sample()
        reward = (action == (seen[:, 0] > 0).long()).float()
        loss = -(choice.log_prob(action) * (reward - reward.mean())).mean() - 0.01 * choice.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


def variational_inference(torch):
    """Fit Gamma and Dirichlet posteriors, whose samples have implicit gradients."""
    D = torch.distributions
    raw = torch.zeros(4, requires_grad=True)
    weights = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.Adam([raw, weights], lr=0.05)
    target, shares = (
        D.Gamma(torch.tensor([3.0, 0.5]), torch.tensor([1.0, 2.0])),
        D.Dirichlet(torch.tensor([2.0, 1.0, 4.0])),
    )
    for _ in range(STEPS):
        concentration, rate = torch.nn.functional.softplus(raw).chunk(2)
        posterior, mixture = D.Gamma(concentration, rate), D.Dirichlet(weights.exp())
        x, share = posterior.rsample((32,)), mixture.rsample((32,))
        loss = (posterior.log_prob(x) - target.log_prob(x)).sum(-1).mean()
        loss = loss + (mixture.log_prob(share) - shares.log_prob(share)).mean() + D.kl_divergence(mixture, shares)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


SCRIPTS = [
    mlp_with_dropout,
    cnn_with_batch_norm_and_shuffles,
    lstm,
    transformer_encoder,
    vae,
    gan,
    reinforce,
    variational_inference,
]
