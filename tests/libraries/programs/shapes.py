"""einops and einx: rearranged, reduced, repeated, packed; their layers in a model."""

import einx
import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce

torch.manual_seed(0)
x = torch.randn(2, 3, 8, 8, requires_grad=True)
patches = rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)
print(
    patches.shape,
    reduce(x, "b c h w -> b c", "mean").sum().item().__round__(4),
    repeat(x[:, 0, 0, :2], "b w -> b (w r)", r=2).shape,
)
packed, sizes = pack([x[:, :, 0, 0], x[:, :, 0]], "b *")
print(packed.shape, [part.shape for part in unpack(packed, sizes, "b *")])
print(einsum(patches, patches, "b n d, b m d -> b n m").sum().item().__round__(2))
print(
    einx.sum("b c (s [p])...", x, p=2).shape,
    einx.dot("b c h w, c -> b h w", x, torch.ones(3)).sum().item().__round__(3),
)
model = torch.nn.Sequential(
    Rearrange("b c h w -> b (h w) c"),
    EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=3, d=5),
    torch.nn.GELU(),
    Reduce("b t d -> b d", "max"),
    torch.nn.Linear(5, 2),
)
loss = torch.nn.functional.cross_entropy(model(x), torch.tensor([0, 1]))
loss.backward()
print(f"{loss.item():.4f} {x.grad.abs().sum().item():.4f}")
