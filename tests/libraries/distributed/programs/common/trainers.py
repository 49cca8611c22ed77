"""The data and the arguments of transformers' Trainer."""

import os

import torch
from transformers import TrainingArguments


class Words(torch.utils.data.Dataset):
    def __init__(self, size, labels=None):
        self.size, self.labels = size, labels

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        words = torch.randint(0, 50, (12,), generator=torch.Generator().manual_seed(i))
        return {"input_ids": words, "labels": words if self.labels is None else words.sum() % self.labels}


def arguments(name, **options):
    return TrainingArguments(
        os.path.join(os.getcwd(), name),  # a temporary folder
        per_device_train_batch_size=2,
        per_device_eval_batch_size=4,
        logging_steps=1,
        report_to=[],
        use_cpu=True,
        eval_strategy="epoch",
        disable_tqdm=True,
        log_level="error",
        **options,
    )


def quiet(trainer):
    """Return a trainer that does not print."""
    trainer.remove_callback(next(type(c) for c in trainer.callback_handler.callbacks if "Printer" in type(c).__name__))
    return trainer
