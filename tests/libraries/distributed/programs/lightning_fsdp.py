"""lightning: FSDP with sharded checkpoints, ModelParallelStrategy with fully_shard and with tensor parallelism."""

import logging
import os
import warnings

import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.strategies import FSDPStrategy, ModelParallelStrategy
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
said = []


class Wrapping(FSDPStrategy):
    """FSDP on the CPU. Lightning refuses the class itself without a GPU, and PyTorch FSDP without a device."""

    def _setup_model(self, model):
        policy = ModuleWrapPolicy({Block})
        self.wrapped = FullyShardedDataParallel(model, device_id=torch.device("cpu"), auto_wrap_policy=policy)
        return self.wrapped


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Net(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = None

    def configure_model(self):
        if self.net is None:
            seed_everything(1, verbose=False)
            self.net = nn.Sequential(Block(), Block(), nn.Linear(8, 1))

    def step(self, batch):
        return nn.functional.mse_loss(self.net(batch[0]), batch[1])

    def training_step(self, batch, i):
        loss = self.step(batch)
        said.append(f"{i} loss {loss.item():.6f}")
        self.log("loss", loss, sync_dist=True, on_epoch=True)
        return loss

    def validation_step(self, batch, i):
        self.log("held_out", self.step(batch), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.01)


class Sharded(Net):
    """`fully_shard` for each block."""

    def configure_model(self):
        super().configure_model()
        if isinstance(next(self.net.parameters()), DTensor):
            return
        mesh = self.device_mesh["data_parallel"]
        for block in self.net[:2]:
            fully_shard(block, mesh=mesh)
        fully_shard(self.net, mesh=mesh)


class Divided(Net):
    """Tensor parallelism inside of each block."""

    def configure_model(self):
        super().configure_model()
        if not isinstance(self.net[0].up.weight, DTensor):
            for block in self.net[:2]:
                parallelize_module(
                    block, self.device_mesh["tensor_parallel"], {"up": ColwiseParallel(), "down": RowwiseParallel()}
                )


def total_of(values):
    values = (v.full_tensor() if isinstance(v, DTensor) else v for v in values)
    return sum(v.double().abs().sum().item() for v in values)


def trained(name, kind, strategy, **options):
    """Train for an epoch, save, train for another one, and train again from the checkpoint."""

    def trainer(epochs):
        seed_everything(0, verbose=False)
        return Trainer(
            accelerator="cpu",
            devices=2,
            strategy=strategy(),
            max_epochs=epochs,
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir=folder,
            callbacks=[ModelCheckpoint(folder, filename=name + "{epoch}", save_top_k=-1)],
            accumulate_grad_batches=2,
            **options,
        )

    said.append(name)
    fits, net = trainer(2), kind()
    fits.fit(net, DataLoader(data, batch_size=4, shuffle=True), DataLoader(data, batch_size=8))
    said.append({key: round(value.item(), 6) for key, value in fits.callback_metrics.items()})
    path = f"{folder}/{name}epoch=0.ckpt"
    fits, net = trainer(2), kind()
    fits.fit(net, DataLoader(data, batch_size=4, shuffle=True), DataLoader(data, batch_size=8), ckpt_path=path)
    said.append({key: round(value.item(), 6) for key, value in fits.callback_metrics.items()})
    if "model" in name:
        said.append(f"parameters {total_of(net.parameters()):.6f}")
    else:
        with FullyShardedDataParallel.summon_full_params(fits.strategy.wrapped, writeback=False):
            said.append(f"parameters {total_of(net.parameters()):.6f}")
    fits.strategy.barrier()
    return fits


seed_everything(0, verbose=False)
x = torch.randn(48, 8)
data = TensorDataset(x, x.sum(1, keepdim=True).sin())
folder = os.getcwd()  # a temporary folder, the same in both processes
trained("sharded", Net, lambda: Wrapping(state_dict_type="sharded"))
trained("model sharded", Sharded, lambda: ModelParallelStrategy(2, 1), gradient_clip_val=0.5)
fits = trained("model divided", Divided, lambda: ModelParallelStrategy(1, 2, save_distributed_checkpoint=False))
print("".join(f"{fits.global_rank} {one}\n" for one in said), end="", flush=True)
