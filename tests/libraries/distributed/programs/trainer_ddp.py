"""transformers' Trainer: a GPT-2 and a BERT with DDP, accumulation, metrics, resumed from a checkpoint."""

import os

import numpy as np
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    Trainer,
    TrainingArguments,
    set_seed,
)

from tests.libraries.distributed.programs.common.trainers import Words, arguments, quiet

said = []


def told(name, trainer):
    for line in trainer.state.log_history:
        kept = {k: round(v, 6) for k, v in line.items() if "loss" in k or "grad" in k or "rate" in k or "right" in k}
        said.append(f"{name} {kept}")
    total = sum(p.double().abs().sum().item() for p in trainer.model.parameters())
    said.append(f"{name} parameters {total:.6f} {type(trainer.model_wrapped).__name__}")


def gpt():
    set_seed(0)
    return GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=32, n_layer=2, n_head=2, use_cache=False))


given = {"num_train_epochs": 2, "gradient_accumulation_steps": 2, "save_strategy": "epoch", "weight_decay": 0.1}
trainer = quiet(Trainer(gpt(), arguments("gpt", **given), train_dataset=Words(22), eval_dataset=Words(9)))
trainer.train()
told("gpt", trainer)
folder = sorted(name for name in os.listdir("gpt") if name.startswith("checkpoint"))[0]
trainer = quiet(Trainer(gpt(), arguments("gpt", **given), train_dataset=Words(22), eval_dataset=Words(9)))
trainer.train(resume_from_checkpoint=f"gpt/{folder}")
told("resumed", trainer)

set_seed(0)
config = BertConfig(
    vocab_size=50,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=16,
    num_labels=3,
)
options = {
    "max_steps": 6,
    "save_strategy": "no",
    "bf16": False,
    "ddp_find_unused_parameters": True,
    "lr_scheduler_type": "cosine",
    "warmup_steps": 2,
    "label_smoothing_factor": 0.1,
    "group_by_length": False,
    "train_sampling_strategy": "random",
    "gradient_checkpointing": True,
}
options = {k: v for k, v in options.items() if k in TrainingArguments.__dataclass_fields__}
trainer = quiet(
    Trainer(
        BertForSequenceClassification(config),
        arguments("bert", **options),
        train_dataset=Words(30, 3),
        eval_dataset=Words(13, 3),
        compute_metrics=lambda p: {"right": float((p.predictions.argmax(-1) == p.label_ids).mean())},
    )
)
trainer.train()
told("bert", trainer)
found = trainer.predict(Words(13, 3))
said.append(f"predictions {found.predictions.shape} {np.abs(found.predictions).sum():.6f}")
rank = trainer.args.process_index
print("".join(f"{rank} {one}\n" for one in said), end="", flush=True)
