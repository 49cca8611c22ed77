"""pytorch_lightning: a Trainer that fits, with the summary of its model: layers, parameters, shapes and operations"""

import logging
import warnings

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities.model_summary import ModelSummary

logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
        self.example_input_array = torch.zeros(2, 4)

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, index):
        return self(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


pl.seed_everything(0, verbose=False)
model, data = Model(), torch.utils.data.TensorDataset(torch.randn(8, 4))
trainer = pl.Trainer(
    max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False
)
trainer.fit(model, torch.utils.data.DataLoader(data, batch_size=4))
summary = ModelSummary(model, max_depth=-1)
print(summary)
print(summary.total_parameters, summary.total_flops, trainer.global_step)
print(f"{sum(p.abs().sum().item() for p in model.parameters()):.4f}")
