"""open_clip: a small CLIP trained with its loss, its tokenizer."""

import open_clip
import torch
from open_clip.model import CLIP, CLIPTextCfg, CLIPVisionCfg

torch.manual_seed(0)

m = CLIP(
    32,
    CLIPVisionCfg(layers=2, width=32, head_width=16, patch_size=8, image_size=32),
    CLIPTextCfg(context_length=16, vocab_size=100, width=32, heads=2, layers=2),
)
im = torch.rand(4, 3, 32, 32)
tx = torch.randint(1, 100, (4, 16))
opt = torch.optim.AdamW(m.parameters(), 1e-3)
loss = open_clip.ClipLoss()
for _ in range(3):
    i, t, s = m(im, tx)
    l = loss(i, t, s)
    opt.zero_grad()
    l.backward()
    opt.step()
    print(round(l.item(), 5))
m.eval()
print(m.encode_image(im, normalize=True).sum().item().__round__(4))
tk = open_clip.tokenizer.SimpleTokenizer()
print(tk(["a photo of a cat", "x"]).sum().item())
