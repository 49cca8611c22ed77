"""transformers' Trainer: a small GPT-2 trained and evaluated in two processes."""

import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed


class Words(torch.utils.data.Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        words = torch.randint(0, 50, (12,), generator=torch.Generator().manual_seed(i))
        return {"input_ids": words, "labels": words}


set_seed(0)
model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=32, n_layer=2, n_head=2))
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        per_device_train_batch_size=4,
        num_train_epochs=2,
        logging_steps=1,
        report_to=[],
        use_cpu=True,
        eval_strategy="epoch",
        save_strategy="no",
        disable_tqdm=True,
        log_level="error",
    )
    trainer = Trainer(model, arguments, train_dataset=Words(), eval_dataset=Words())
    trainer.remove_callback(next(type(c) for c in trainer.callback_handler.callbacks if "Printer" in type(c).__name__))
    trainer.train()
told = ({k: round(v, 3) for k, v in line.items() if "loss" in k or "grad" in k} for line in trainer.state.log_history)
print("".join(f"{arguments.process_index} {line}\n" for line in told), end="", flush=True)
