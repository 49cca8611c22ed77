"""ignite: a trainer with metrics, a cyclical schedule, checkpoints, an evaluator called by events."""

import tempfile

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import LinearCyclicalScheduler, ModelCheckpoint
from ignite.metrics import Accuracy, ConfusionMatrix, Loss, Precision
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = [(torch.randn(16, 4), torch.randint(0, 3, (16,))) for _ in range(5)]
wrong = nn.functional.cross_entropy
metrics = {"a": Accuracy(), "l": Loss(wrong), "p": Precision(average=True), "c": ConfusionMatrix(3)}
trainer = create_supervised_trainer(model, optimizer, wrong)
evaluator = create_supervised_evaluator(model, metrics=metrics)
trainer.add_event_handler(Events.ITERATION_STARTED, LinearCyclicalScheduler(optimizer, "lr", 0.1, 0.01, 5))
checkpoint = ModelCheckpoint(tempfile.mkdtemp(), "x", require_empty=False)
evaluator.add_event_handler(Events.COMPLETED, checkpoint, {"m": model})


@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    evaluator.run(data)
    for name, value in evaluator.state.metrics.items():
        print(engine.state.epoch, name, value.tolist() if hasattr(value, "tolist") else round(value, 4))


trainer.run(data, max_epochs=3)
print(round(sum(p.detach().sum().item() for p in model.parameters()), 4), checkpoint.last_checkpoint is not None)
