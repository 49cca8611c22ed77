"""denoising_diffusion_pytorch: a UNet trained on noise, pictures sampled."""

import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet

torch.manual_seed(0)
net = Unet(dim=8, dim_mults=(1, 2), flash_attn=False)
d = GaussianDiffusion(net, image_size=16, timesteps=20, sampling_timesteps=4)
opt = torch.optim.Adam(d.parameters(), 1e-3)
x = torch.rand(2, 3, 16, 16)
for _ in range(3):
    l = d(x)
    opt.zero_grad()
    l.backward()
    opt.step()
    print(round(l.item(), 4))
s = d.sample(batch_size=2)
print(tuple(s.shape), round(s.sum().item(), 2))
