"""transformers' Trainer: a GPT-2 and a Llama with FSDP of both versions, clipping, resumed from a checkpoint."""

import os

from accelerate.utils import FullyShardedDataParallelPlugin
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.tensor import DTensor
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    Trainer,
    set_seed,
)

from tests.libraries.distributed.programs.common.sharded import use_fsdp
from tests.libraries.distributed.programs.common.trainers import Words, arguments, quiet

said = []


class Sharding(Trainer):
    """A Trainer with FSDP."""

    def create_accelerator_and_postprocess(self):
        super().create_accelerator_and_postprocess()
        use_fsdp(self.accelerator.state, FullyShardedDataParallelPlugin(**self.args.fsdp_plugin_args))
        self.is_fsdp_enabled = True


def trainer_of(name, model, version, layer, config=None, **options):
    config = {"sync_module_states": False, **(config or {})}
    given = arguments(
        name,
        num_train_epochs=2,
        max_grad_norm=0.5,
        fsdp="full_shard auto_wrap",
        fsdp_config={"version": version, "transformer_layer_cls_to_wrap": [layer], **config},
        **options,
    )
    return quiet(Sharding(model, given, train_dataset=Words(18), eval_dataset=Words(9)))


def told(name, trainer):
    for line in trainer.state.log_history:
        kept = {k: round(v, 6) for k, v in line.items() if "loss" in k or "grad" in k or "rate" in k}
        said.append(f"{name} {kept}")
    model = trainer.model_wrapped
    if isinstance(model, FullyShardedDataParallel):
        with FullyShardedDataParallel.summon_full_params(model, writeback=False):
            total = sum(p.double().abs().sum().item() for p in model.parameters())
    else:
        whole = [p.full_tensor() if isinstance(p, DTensor) else p for p in model.parameters()]
        total = sum(p.double().abs().sum().item() for p in whole)
    said.append(f"{name} parameters {total:.6f} {type(model).__name__}")


def gpt():
    set_seed(0)
    config = GPT2Config(vocab_size=50, n_positions=16, n_embd=32, n_layer=2, n_head=2, use_cache=False)
    return GPT2LMHeadModel(config)


def llama():
    set_seed(0)
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=16,
        use_cache=False,
    )
    return LlamaForCausalLM(config)


trainer = trainer_of("gpt", gpt(), 1, "GPT2Block", save_strategy="no", gradient_accumulation_steps=2)
trainer.train()
told("gpt", trainer)
full = {"state_dict_type": "FULL_STATE_DICT"}
trainer = trainer_of("llama", llama(), 2, "LlamaDecoderLayer", save_strategy="epoch", config=full)
trainer.train()
told("llama", trainer)
folder = sorted(name for name in os.listdir("llama") if name.startswith("checkpoint"))[0]
trainer = trainer_of("llama", llama(), 2, "LlamaDecoderLayer", save_strategy="no", config=full)
trainer.train(resume_from_checkpoint=f"llama/{folder}")
told("resumed", trainer)
sharded = {"state_dict_type": "SHARDED_STATE_DICT", "activation_checkpointing": True}
trainer = trainer_of("sharded", llama(), 2, "LlamaDecoderLayer", save_strategy="epoch", config=sharded)
trainer.train()
told("sharded", trainer)
trainer.accelerator.wait_for_everyone()
rank = trainer.args.process_index
print("".join(f"{rank} {one}\n" for one in said), end="", flush=True)
