"""accelerate: fully_shard with full and sharded states, accumulation, clipping, resumed from its state."""

import tempfile

import torch
from accelerate.utils import broadcast_object_list, set_seed
from torch import nn
from torch.distributed.tensor import DTensor
from torch.utils.data import DataLoader, TensorDataset

from tests.libraries.distributed.programs.common.sharded import Block, accelerator_of

said = []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = Block(), Block(), nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.second(self.first(x)))


def total_of(values):
    values = (v.full_tensor() if isinstance(v, DTensor) else v for v in values)
    return sum(v.double().abs().sum().item() for v in values)


def trained(kind, **options):
    wrap = {"auto_wrap_policy": "transformer_based_wrap", "transformer_cls_names_to_wrap": ["Block"]}
    accelerator = accelerator_of(fsdp_version=2, state_dict_type=kind, **wrap, **options)
    set_seed(0)
    x = torch.randn(48, 8)
    data = TensorDataset(x, x.sum(1, keepdim=True).sin())
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    loader = DataLoader(data, batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    placements = [(name, str(p.placements), tuple(p.to_local().shape)) for name, p in model.named_parameters()]
    said.append(f"{kind} {type(model).__name__} {accelerator.is_fsdp2} {placements}")

    def epoch():
        for given, wanted in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(given), wanted)
                accelerator.backward(loss)
                norm = 0.0
                if accelerator.sync_gradients:
                    norm = accelerator.clip_grad_norm_(model.parameters(), 0.5)
                    norm = (norm.full_tensor() if isinstance(norm, DTensor) else norm).item()
                optimizer.step()
                optimizer.zero_grad()
            said.append(f"{kind} loss {accelerator.gather(loss.detach()).mean().item():.6f} norm {norm:.6f}")

    def checksum():
        return f"{kind} parameters {total_of(model.parameters()):.6f}"

    folder = [tempfile.mkdtemp() if accelerator.is_main_process else None]
    broadcast_object_list(folder)
    epoch()
    said.append(checksum())
    accelerator.save_state(folder[0])
    epoch()
    said.append(checksum())
    accelerator.load_state(folder[0])
    said.append(checksum())
    epoch()
    said.append(checksum())
    for name, value in accelerator.get_state_dict(model).items():
        said.append(f"{kind} {name} {tuple(value.shape)} {total_of([value]):.6f}")
    accelerator.wait_for_everyone()
    return accelerator


trained("FULL_STATE_DICT")
trained("SHARDED_STATE_DICT", reshard_after_forward=False)
accelerator = trained("FULL_STATE_DICT", activation_checkpointing=True, cpu_ram_efficient_loading=True)
rank = accelerator.process_index
accelerator.end_training()
print("".join(f"{rank} {one}\n" for one in said), end="", flush=True)
