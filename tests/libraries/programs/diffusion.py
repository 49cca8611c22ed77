"""diffusers: a small UNet trained on noise, an EMA of it, pictures sampled by two schedulers, an autoencoder."""

import torch
from diffusers import AutoencoderKL, DDIMScheduler, DDPMScheduler, UNet2DModel
from diffusers.training_utils import EMAModel

torch.manual_seed(0)
model = UNet2DModel(
    sample_size=16,
    in_channels=1,
    out_channels=1,
    layers_per_block=1,
    block_out_channels=(8, 16),
    down_block_types=("DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D"),
    norm_num_groups=4,
)
scheduler = DDPMScheduler(num_train_timesteps=50)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
average = EMAModel(model.parameters(), decay=0.9)
pictures = torch.rand(4, 1, 16, 16) * 2 - 1
for step in range(3):
    noise = torch.randn_like(pictures)
    times = torch.randint(0, 50, (4,)).long()
    loss = torch.nn.functional.mse_loss(model(scheduler.add_noise(pictures, noise, times), times).sample, noise)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    average.step(model.parameters())
    print(step, f"{loss.item():.4f}")
average.copy_to(model.parameters())
model.eval()
for kind in (DDPMScheduler, DDIMScheduler):
    sampler = kind(num_train_timesteps=50)
    sampler.set_timesteps(5)
    sample = torch.randn(2, 1, 16, 16, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        for t in sampler.timesteps:
            sample = sampler.step(model(sample, t).sample, t, sample).prev_sample
    print(kind.__name__, f"{sample.mean().item():.3f} {sample.std().item():.3f}")
vae = AutoencoderKL(in_channels=1, out_channels=1, latent_channels=2, block_out_channels=(8,), norm_num_groups=4)
found = vae(pictures).sample
found.square().mean().backward()
print(f"{found.mean().item():.4f}", f"{sum(p.grad.abs().sum() for p in vae.parameters()).item():.3f}")
