"""pytorch_lightning: a Trainer in two processes, its sampler, what it logs and gathers."""

import logging
import tempfile
import warnings

import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
said = []


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))

    def training_step(self, batch, i):
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("loss", loss, sync_dist=True, on_epoch=True)
        said.append(round(loss.item(), 4))
        return loss

    def validation_step(self, batch, i):
        right = (self.net(batch[0]).argmax(-1) == batch[1]).float().mean()
        self.log("right", right, sync_dist=True)
        said.append(self.all_gather(right).tolist())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


pl.seed_everything(0)
x = torch.randn(64, 8)
data = TensorDataset(x, (x.sum(1) > 0).long())
with tempfile.TemporaryDirectory() as folder:
    trainer = pl.Trainer(
        max_epochs=2,
        accelerator="cpu",
        devices=2,
        strategy="ddp",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=folder,
    )
    trainer.fit(Net(), DataLoader(data, batch_size=8, shuffle=True), DataLoader(data, batch_size=8))
said.append({name: round(value.item(), 4) for name, value in trainer.callback_metrics.items()})
print("".join(f"{trainer.global_rank} {one}\n" for one in said), end="", flush=True)
