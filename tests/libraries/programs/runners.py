"""mmengine: a runner that trains and validates a model by epochs from configurations."""

import logging
import tempfile
import warnings

import torch
from mmengine.evaluator import BaseMetric
from mmengine.model import BaseModel
from mmengine.runner import Runner

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
torch.manual_seed(0)


class Classifier(BaseModel):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)

    def forward(self, x, y, mode):
        found = self.linear(x)
        return {"loss": torch.nn.functional.cross_entropy(found, y)} if mode == "loss" else (found, y)


class Accuracy(BaseMetric):
    default_prefix = "classes"

    def process(self, batch, outputs):
        self.results.append((outputs[0].argmax(1) == outputs[1]).float().mean().item())

    def compute_metrics(self, results):
        print(round(sum(results) / len(results), 5))
        return {"accuracy": sum(results) / len(results)}


data = [(torch.randn(4), i % 3) for i in range(24)]
loader = dict(dataset=data, batch_size=8, num_workers=0, collate_fn=dict(type="default_collate"))
runner = Runner(
    model=Classifier(),
    work_dir=tempfile.mkdtemp(),
    train_dataloader={**loader, "sampler": dict(type="DefaultSampler", shuffle=True)},
    val_dataloader={**loader, "sampler": dict(type="DefaultSampler", shuffle=False)},
    optim_wrapper=dict(optimizer=dict(type="SGD", lr=0.1)),
    train_cfg=dict(by_epoch=True, max_epochs=2, val_interval=1),
    val_cfg=dict(),
    val_evaluator=[Accuracy()],
    randomness=dict(seed=0),
)
model = runner.train()
print(round(sum(p.detach().sum().item() for p in model.parameters()), 5))
