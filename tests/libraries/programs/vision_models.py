"""torchvision: pictures through transforms, five networks trained with a schedule. In float64: behind batch norm in
training, float32's last digits grow."""

import numpy as np
import torch
from PIL import Image
from torchvision import models, utils
from torchvision import transforms as T

random = np.random.default_rng(0)
pictures = [Image.fromarray(random.integers(0, 255, (80, 80, 3), dtype=np.uint8)) for _ in range(4)]


def vit(num_classes):
    return models.VisionTransformer(
        image_size=64, patch_size=16, num_layers=2, num_heads=4, hidden_dim=32, mlp_dim=64, num_classes=num_classes
    )


for make in (models.resnet18, models.mobilenet_v3_small, models.efficientnet_b0, models.convnext_tiny, vit):
    torch.manual_seed(0)
    model = make(num_classes=7).double().train()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=6)
    change = T.Compose(
        [
            T.RandomResizedCrop(64),
            T.RandomHorizontalFlip(),
            T.ColorJitter(0.2, 0.2, 0.2),
            T.ToTensor(),
            T.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
            T.RandomErasing(0.5),
        ]
    )
    for step in range(2):
        x = torch.stack([change(picture) for picture in pictures]).double()
        loss = torch.nn.functional.cross_entropy(model(x), torch.randint(0, 7, (4,)), label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        print(make.__name__, step, f"{x.sum().item():.4f} {loss.item():.6f}")
    model.eval()
    with torch.no_grad():
        print([f"{v:.5f}" for v in model(x)[0].tolist()], utils.make_grid(x).shape)
