"""ultralytics: three of its networks, a detector trained for two steps, boxes suppressed."""

import torch
from ultralytics.cfg import get_cfg
from ultralytics.nn.tasks import ClassificationModel, DetectionModel
from ultralytics.utils.nms import non_max_suppression

torch.manual_seed(0)
for cls, cfg in (
    (DetectionModel, "yolov8n.yaml"),
    (DetectionModel, "yolo11n.yaml"),
    (ClassificationModel, "yolov8n-cls.yaml"),
):
    m = cls(cfg, verbose=False)
    m.eval()
    with torch.no_grad():
        o = m(torch.rand(1, 3, 64, 64))
    while isinstance(o, (tuple, list)):
        o = o[0]
    print(cfg, tuple(o.shape), round(o.double().sum().item(), 2))
m = DetectionModel("yolov8n.yaml", nc=4, verbose=False)
m.args = get_cfg()
m.train()
opt = torch.optim.SGD(m.parameters(), 1e-3, momentum=0.9, nesterov=True)
batch = dict(
    img=torch.rand(2, 3, 64, 64),
    batch_idx=torch.tensor([0.0, 0.0, 1.0]),
    cls=torch.tensor([[0.0], [1.0], [2.0]]),
    bboxes=torch.tensor([[0.5, 0.5, 0.4, 0.4], [0.3, 0.3, 0.2, 0.2], [0.6, 0.6, 0.5, 0.3]]),
)
for _ in range(2):
    loss, items = m(batch)
    opt.zero_grad()
    loss.sum().backward()
    opt.step()
    print([round(v, 3) for v in (items.tolist() if hasattr(items, "tolist") else [float(v) for v in items.values()])])

p = torch.rand(1, 84, 50)
p[:, :4] *= 64
print([tuple(x.shape) for x in non_max_suppression(p, 0.9)])
