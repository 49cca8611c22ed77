"""accelerate: FullyShardedDataParallel with accumulation and clipping, three strategies, recomputed activations."""

# accelerate's own states are left out, because PyTorch has none to compare with if the parameters are on the CPU: full
# states contain memory that it has freed (it ends with SIGSEGV), and it does not find an entry of its own sharded ones
# ("Missing key in checkpoint state_dict: optimizer.param_groups").

import functools

import torch
from accelerate.utils import set_seed
from torch import nn
from torch.distributed.fsdp import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    FullyShardedDataParallel,
    StateDictType,
)
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.utils.data import DataLoader, TensorDataset

from tests.libraries.distributed.programs.common.sharded import Block, accelerator_of

said = []


def trained(name, **options):
    wrap = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    given = {"state_dict_type": "SHARDED_STATE_DICT", "use_orig_params": True, **options}
    accelerator = accelerator_of(fsdp_version=1, auto_wrap_policy=wrap, **given)
    set_seed(0)
    x = torch.randn(48, 8)
    data = TensorDataset(x, x.sum(1, keepdim=True).sin())
    model = nn.Sequential(Block(), Block(), nn.Linear(8, 1))
    loader = DataLoader(data, batch_size=4, shuffle=True)
    model = accelerator.prepare(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    optimizer, loader = accelerator.prepare(optimizer, loader)
    parts = sum(isinstance(m, FullyShardedDataParallel) for m in model.modules())
    said.append(f"{name} {type(model).__name__} {parts} {accelerator.distributed_type} {len(loader)}")

    def epoch():
        for given, wanted in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(given), wanted)
                accelerator.backward(loss)
                norm = 0.0
                if accelerator.sync_gradients:
                    norm = accelerator.clip_grad_norm_(model.parameters(), 0.5).item()
                optimizer.step()
                optimizer.zero_grad()
            said.append(f"{name} loss {accelerator.gather(loss.detach()).mean().item():.6f} norm {norm:.6f}")

    def checksum():
        with FullyShardedDataParallel.summon_full_params(model, writeback=False):
            total = sum(p.double().abs().sum().item() for p in model.parameters())
        return f"{name} parameters {total:.6f}"

    epoch()
    said.append(checksum())
    epoch()
    said.append(checksum())
    whole = FullOptimStateDictConfig(offload_to_cpu=False, rank0_only=True)
    with FullyShardedDataParallel.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(), whole):
        for key, value in model.state_dict().items():
            said.append(f"{name} {key} {tuple(value.shape)} {value.double().abs().sum().item():.6f}")
        state = FullyShardedDataParallel.optim_state_dict(model, optimizer)
        optimizer.load_state_dict(FullyShardedDataParallel.optim_state_dict_to_load(model, optimizer, state))
    epoch()
    said.append(checksum())
    accelerator.wait_for_everyone()
    return accelerator


trained("full")
trained("replicated", reshard_after_forward="NO_SHARD")
trained("gradients", reshard_after_forward="SHARD_GRAD_OP")
accelerator = trained("checkpointed", activation_checkpointing=True, limit_all_gathers=False)
rank = accelerator.process_index
accelerator.end_training()
print("".join(f"{rank} {one}\n" for one in said), end="", flush=True)
