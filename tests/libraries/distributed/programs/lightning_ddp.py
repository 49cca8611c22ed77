"""lightning: DDP with validation, a training resumed from a checkpoint, unused parameters, averages."""

import logging
import tempfile
import warnings
from contextlib import nullcontext

import lightning
import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint, StochasticWeightAveraging
from lightning.pytorch.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric
from torchmetrics.classification import MulticlassAccuracy

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
said = []


class Net(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(8, 16, bias=False), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2)
        )
        self.unused = nn.Linear(2, 2)
        self.right, self.mean = MulticlassAccuracy(2), MeanMetric()

    def training_step(self, batch, i):
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("loss", loss, sync_dist=True, on_epoch=True)
        said.append(f"{i} loss {loss.item():.6f} rate {self.optimizers().param_groups[0]['lr']:.6f}")
        return loss

    def validation_step(self, batch, i):
        out = self.net(batch[0])
        self.right(out, batch[1])
        self.mean(nn.functional.cross_entropy(out, batch[1]))
        self.log("right", self.right)
        self.log("held_out", self.mean)
        said.append(f"gathered {[round(v, 6) for v in self.all_gather(out.mean()).tolist()]}")

    def predict_step(self, batch, i):
        return self.net(batch[0]).argmax(-1)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.02)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=12)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


class Manual(LightningModule):
    """A module that accumulates by itself: `no_sync` around all but the last part."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Linear(8, 2)

    def training_step(self, batch, i):
        optimizer = self.optimizers()
        last = i % 2 == 1
        with nullcontext() if last else self.trainer.model.no_sync():
            loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
            self.manual_backward(loss / 2)
        if last:
            optimizer.step()
            optimizer.zero_grad()
        said.append(f"manual {i} {loss.item():.6f}")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def checksum(module):
    return f"parameters {sum(p.double().abs().sum().item() for p in module.parameters()):.6f}"


def trainer(strategy="ddp", **options):
    return Trainer(
        accelerator="cpu",
        devices=2,
        strategy=strategy,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=folder,
        **options,
    )


seed_everything(0, verbose=False)
x = torch.randn(50, 8)
data = TensorDataset(x, (x.sum(1) > 0).long())
batches, held_out = DataLoader(data, batch_size=5, shuffle=True), DataLoader(data, batch_size=8)
with tempfile.TemporaryDirectory() as folder:
    unused = DDPStrategy(find_unused_parameters=True, static_graph=False)
    best = ModelCheckpoint(monitor="held_out", save_last=True)
    stops = EarlyStopping("held_out", patience=5)
    fits = trainer(
        unused,
        max_epochs=2,
        accumulate_grad_batches=2,
        gradient_clip_val=1.0,
        callbacks=[best, stops],
    )
    net = Net()
    fits.fit(net, batches, held_out)
    said.append({name: round(value.item(), 6) for name, value in fits.callback_metrics.items()})
    said += [checksum(net), f"best {best.best_model_score.item():.6f} {fits.global_step} {fits.world_size}"]
    found = fits.validate(net, held_out, verbose=False)
    said.append({name: round(value, 6) for name, value in found[0].items()})
    path = fits.strategy.broadcast(best.last_model_path)
    fits = trainer("ddp_find_unused_parameters_true", max_epochs=4, callbacks=[StochasticWeightAveraging(0.01, 2)])
    net = Net()
    fits.fit(net, batches, held_out, ckpt_path=path)
    said.append(checksum(net))
    said.append([len(part) for part in fits.predict(net, held_out)])
    net = Manual()
    fits = trainer(max_epochs=1)
    fits.fit(net, batches)
    said += [checksum(net), lightning.__name__]
    fits.strategy.barrier()
print("".join(f"{fits.global_rank} {one}\n" for one in said), end="", flush=True)
