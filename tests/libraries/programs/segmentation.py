"""segmentation_models_pytorch: a U-Net and a DeepLabV3+ with losses and metrics."""

import segmentation_models_pytorch as smp
import torch

torch.manual_seed(0)
x, masks = torch.randn(2, 3, 64, 64, dtype=torch.float64), torch.randint(0, 3, (2, 64, 64))
for kind in ("Unet", "FPN", "DeepLabV3Plus"):
    model = getattr(smp, kind)("resnet18", encoder_weights=None, classes=3).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    for loss_function in (
        smp.losses.DiceLoss("multiclass"),
        smp.losses.FocalLoss("multiclass"),
        smp.losses.JaccardLoss("multiclass"),
    ):
        loss = loss_function(model(x), masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(kind, type(loss_function).__name__, f"{loss.item():.5f}")
    model.eval()
    counts = smp.metrics.get_stats(model(x).argmax(1), masks, mode="multiclass", num_classes=3)
    print(f"{smp.metrics.iou_score(*counts, reduction='micro').item():.4f}")
