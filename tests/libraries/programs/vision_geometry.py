"""kornia: colours, filters, warps, augmentations under one seed, gradients through them."""

import kornia
import torch

torch.manual_seed(0)
x = torch.rand(2, 3, 16, 16, requires_grad=True)
steps = {
    "gray": kornia.color.rgb_to_grayscale(x),
    "hsv": kornia.color.rgb_to_hsv(x),
    "lab": kornia.color.rgb_to_lab(x),
    "blur": kornia.filters.gaussian_blur2d(x, (5, 5), (1.5, 1.5)),
    "sobel": kornia.filters.sobel(x),
    "median": kornia.filters.median_blur(x, (3, 3)),
    "canny": kornia.filters.canny(x)[0],
    "rotate": kornia.geometry.rotate(x, torch.tensor([30.0, -45.0])),
    "resize": kornia.geometry.resize(x, (9, 11)),
    "warp": kornia.geometry.warp_affine(x, torch.tensor([[[1.0, 0.2, 1], [0, 1, 2]]]).expand(2, 2, 3), (16, 16)),
    "dilate": kornia.morphology.dilation(x, torch.ones(3, 3)),
    "ssim": kornia.metrics.ssim(x, x.flip(3), 5),
    "harris": kornia.feature.harris_response(x.mean(1, keepdim=True)),
}
for name, found in steps.items():
    print(name, tuple(found.shape), f"{found.float().mean().item():.4f}")
sum(found.mean() for found in steps.values()).backward()
print(f"{x.grad.abs().sum().item():.3f}")
torch.manual_seed(1)
change = kornia.augmentation.AugmentationSequential(
    kornia.augmentation.RandomHorizontalFlip(p=0.5),
    kornia.augmentation.ColorJitter(0.2, 0.2, 0.2, 0.1, p=1.0),
    kornia.augmentation.RandomAffine(20.0, p=1.0),
    kornia.augmentation.RandomErasing(p=0.5),
)
print(f"{change(x.detach()).mean().item():.4f}")
