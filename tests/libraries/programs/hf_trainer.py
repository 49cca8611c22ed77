"""transformers' Trainer: epochs, evaluation, a schedule, accumulation, checkpoints, predictions."""

import tempfile
import warnings

import numpy as np
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PrinterCallback,
    Trainer,
    TrainingArguments,
    set_seed,
)

warnings.filterwarnings("ignore")
set_seed(0)


class Sentences(torch.utils.data.Dataset):
    def __init__(self, n):
        self.words, self.labels = torch.randint(0, 100, (n, 12)), torch.randint(0, 3, (n,))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"input_ids": self.words[i], "labels": self.labels[i]}


model = BertForSequenceClassification(
    BertConfig(
        vocab_size=100, hidden_size=32, num_hidden_layers=1, num_labels=3, num_attention_heads=4, intermediate_size=64
    )
)
with tempfile.TemporaryDirectory() as folder:
    given = TrainingArguments(
        folder,
        num_train_epochs=2,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        learning_rate=1e-3,
        warmup_steps=2,
        eval_strategy="epoch",
        save_strategy="epoch",
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
        logging_steps=2,
        log_level="error",
    )
    trainer = Trainer(
        model,
        given,
        train_dataset=Sentences(24),
        eval_dataset=Sentences(8),
        compute_metrics=lambda p: {"accuracy": float((np.argmax(p.predictions, 1) == p.label_ids).mean())},
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    for entry in trainer.state.log_history:
        print(
            {
                k: round(v, 4)
                for k, v in entry.items()
                if "runtime" not in k and "per_second" not in k and "flos" not in k
            }
        )
    print([f"{v:.3f}" for v in trainer.predict(Sentences(4)).predictions[0].tolist()], trainer.state.global_step)
    trainer.train(resume_from_checkpoint=True)
    print({k: round(v, 4) for k, v in trainer.evaluate().items() if k in ("eval_loss", "eval_accuracy")})
