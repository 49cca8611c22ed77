"""torchvision: transforms v2 of pictures with boxes and masks, each a subclass of Tensor; boxes' own operators."""

import torch
from torchvision import tv_tensors
from torchvision.ops import box_area, box_convert, box_iou, generalized_box_iou
from torchvision.transforms import v2

torch.manual_seed(0)
picture = tv_tensors.Image(torch.randint(0, 256, (3, 32, 40), dtype=torch.uint8))
boxes = tv_tensors.BoundingBoxes([[2.0, 3, 20, 18], [10, 8, 30, 28]], format="XYXY", canvas_size=(32, 40))
masks = tv_tensors.Mask(torch.randint(0, 2, (2, 32, 40), dtype=torch.uint8))
change = v2.Compose(
    [
        v2.RandomResizedCrop((24, 24), antialias=True),
        v2.RandomHorizontalFlip(p=1.0),
        v2.RandomRotation(15),
        v2.ColorJitter(0.2, 0.2),
        v2.ClampBoundingBoxes(),
        v2.SanitizeBoundingBoxes(labels_getter=None),
        v2.ToDtype({tv_tensors.Image: torch.float32, "others": None}, scale=True),
    ]
)
for _ in range(3):
    x, found, mask = change(picture, boxes, masks)
    print(type(x).__name__, tuple(x.shape), f"{x.mean().item():.4f}", type(mask).__name__, int(mask.sum()))
    print(type(found).__name__, found.format.name, found.canvas_size, [f"{v:.2f}" for v in found.flatten().tolist()])
print(
    type(boxes * 2).__name__,
    type(boxes.clone()).__name__,
    type(boxes.to(torch.float64)).__name__,
    type(boxes[0]).__name__,
)
with tv_tensors.set_return_type("TVTensor"):
    print(type(boxes + 1).__name__)
print(box_iou(boxes, boxes).tolist(), box_area(boxes).tolist(), box_convert(boxes, "xyxy", "cxcywh").tolist())
print([f"{v:.4f}" for v in generalized_box_iou(boxes, boxes + 3).flatten().tolist()])
mixed = v2.MixUp(num_classes=4)(torch.rand(4, 3, 8, 8), torch.tensor([0, 1, 2, 3]))
print(f"{mixed[0].mean().item():.4f}", mixed[1].tolist())
