"""pytorch_lightning: a Trainer with validation, a schedule, clipping, accumulation, a checkpoint, early stopping."""

import logging
import tempfile
import warnings

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Classifier(pl.LightningModule):
    def __init__(self, width=16):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, 3))

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        self.log("val_loss", nn.functional.cross_entropy(self(x), y), prog_bar=True)

    def on_validation_epoch_end(self):
        print(self.current_epoch, f"{self.trainer.callback_metrics['val_loss'].item():.4f}")

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-2)
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3)]


pl.seed_everything(0, verbose=False)
x = torch.randn(64, 8)
y = (x.sum(1) > 0).long() + (x[:, 0] > 1).long()
train = DataLoader(TensorDataset(x[:48], y[:48]), batch_size=8, shuffle=True)
held = DataLoader(TensorDataset(x[48:], y[48:]), batch_size=8)
with tempfile.TemporaryDirectory() as folder:
    best = ModelCheckpoint(folder, monitor="val_loss")
    trainer = pl.Trainer(
        max_epochs=3,
        accelerator="cpu",
        logger=False,
        callbacks=[best, EarlyStopping("val_loss")],
        gradient_clip_val=1.0,
        accumulate_grad_batches=2,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=folder,
    )
    model = Classifier()
    trainer.fit(model, train, held)
    again = Classifier.load_from_checkpoint(best.best_model_path)
    print(trainer.global_step, [f"{v:.4f}" for v in again(x[:2]).flatten().tolist()], again.hparams)
print(trainer.validate(model, held, verbose=False)[0].keys())
