"""A variational autoencoder of handwritten digits, which then generates new digits.

Data: scikit-learn's 1,797 scanned digits, 8x8 pixels of 16 grey levels, a fifth of them held out.
Run it with ``python -m torchlike examples/vae.py`` or, under PyTorch, ``python examples/vae.py``.
"""

import argparse

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm


class VAE(nn.Module):
    def __init__(self, pixels=64, hidden=256, latent=8):
        super().__init__()
        self.latent = latent
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.SiLU(), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.SiLU(), nn.Linear(hidden, pixels))

    def forward(self, x):
        mean, logvar = self.encoder(x).chunk(2, dim=-1)  # (B, latent) each
        z = mean + torch.exp(0.5 * logvar) * torch.randn_like(mean)
        return self.decoder(z), mean, logvar


def negative_elbo(x, logits, mean, logvar):
    """Return the reconstruction error plus the KL divergence from the prior, in nats per image."""
    reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    divergence = -0.5 * (1 + logvar - mean.square() - logvar.exp()).sum()
    return (reconstruction + divergence) / len(x)


def draw(image):
    """Print 8x8 values from 0 to 1 as characters, dark to bright."""
    shades = " .:-=+*#%@"
    for row in image.reshape(8, 8).tolist():
        print("".join(shades[round(value * 9)] * 2 for value in row))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--save", metavar="FILE", help="write the trained weights there")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    images = torch.tensor(load_digits().data, dtype=torch.float32) / 16  # (1797, 64)
    images = images[torch.randperm(len(images))]
    held_out, kept = images[: len(images) // 5].to(args.device), images[len(images) // 5 :]
    train = DataLoader(TensorDataset(kept), args.batch_size, shuffle=True, drop_last=True)
    model = VAE().to(args.device)
    optimizer = optim.Adam(model.parameters(), lr=args.lr)

    with tqdm(total=args.epochs * len(train), unit="step") as bar:
        for epoch in range(args.epochs):
            for (x,) in train:
                x = x.to(args.device)
                loss = negative_elbo(x, *model(x))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if bar.n == 0:
                    bar.write(f"first loss: {loss.item():.9g}")
                bar.set_postfix(epoch=epoch + 1, loss=f"{loss.item():.2f}")
                bar.update()

    model.eval()
    with torch.no_grad():
        for image in torch.sigmoid(model.decoder(torch.randn(2, model.latent, device=args.device))):
            draw(image)
        figure = negative_elbo(held_out, *model(held_out)).item()
    if args.save:
        torch.save(model.state_dict(), args.save)
    print(f"held-out negative ELBO: {figure:.2f} nats an image")


if __name__ == "__main__":
    main()
