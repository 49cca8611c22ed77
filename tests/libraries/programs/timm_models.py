"""timm: networks of several kinds with its optimizers, schedules, mixup, soft targets and averaged weights."""

import numpy as np
import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3, accuracy

SIZED = ("vit_tiny_patch16_224", "swin_tiny_patch4_window7_224", "mixer_s32_224")
for name, kind in (
    ("resnet26", "sgd"),
    ("vit_tiny_patch16_224", "adamw"),
    ("convnext_atto", "lamb"),
    ("swin_tiny_patch4_window7_224", "adan"),
    ("efficientnet_lite0", "rmsproptf"),
):
    torch.manual_seed(0)
    np.random.seed(0)
    given = {"img_size": 64} if name in SIZED else {}
    model = timm.create_model(name, pretrained=False, num_classes=7, drop_path_rate=0.1, **given).double().train()
    optimizer = create_optimizer_v2(model, opt=kind, lr=1e-3, weight_decay=0.05)
    schedule = CosineLRScheduler(optimizer, t_initial=5, warmup_t=1, warmup_lr_init=1e-4)
    mix, average = Mixup(mixup_alpha=0.8, cutmix_alpha=1.0, num_classes=7), ModelEmaV3(model, decay=0.9)
    for step in range(2):
        labels = torch.randint(0, 7, (4,))
        x, soft = mix(torch.randn(4, 3, 64, 64, dtype=torch.float64), labels)
        loss = SoftTargetCrossEntropy()(model(x), soft)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model)
        schedule.step(step)
        print(name, kind, step, f"{loss.item():.4f} {optimizer.param_groups[0]['lr']:.6f}")
    with torch.no_grad():
        found = average.module.eval()(x)
    print([f"{v:.4f}" for v in found[0].tolist()], [float(a) for a in accuracy(found, labels, topk=(1, 3))])
