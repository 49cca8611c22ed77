"""monai: a UNet with its Dice loss, transforms, sliding windows and a metric."""

import torch
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss, DiceLoss, FocalLoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet
from monai.transforms import Compose, RandFlip, RandGaussianNoise, ScaleIntensity
from monai.utils import set_determinism

set_determinism(0)
net = UNet(spatial_dims=2, in_channels=1, out_channels=2, channels=(4, 8, 16), strides=(2, 2), num_res_units=1).double()
optimizer = torch.optim.Adam(net.parameters(), 1e-2)
change = Compose([ScaleIntensity(), RandFlip(prob=0.5, spatial_axis=0), RandGaussianNoise(prob=1.0)])
pictures = torch.stack([torch.as_tensor(change(torch.rand(1, 16, 16))) for _ in range(4)]).double()
masks = (pictures > 0.5).long()
for loss_function in (
    DiceLoss(to_onehot_y=True, softmax=True),
    DiceCELoss(to_onehot_y=True, softmax=True),
    FocalLoss(to_onehot_y=True),
):
    for _ in range(2):
        loss = loss_function(net(pictures), masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(type(loss_function).__name__, f"{loss.item():.4f}")
net.eval()
with torch.no_grad():
    found = sliding_window_inference(torch.rand(1, 1, 24, 24).double(), (16, 16), 2, net)
    print(found.shape, f"{found.mean().item():.4f}")
    metric = DiceMetric(include_background=False)
    metric(net(pictures).argmax(1, keepdim=True), masks)
    print(f"{metric.aggregate().item():.4f}")
