"""transformers: BERT, GPT-2, Llama and T5 trained with a warm-up and clipping, evaluated, generating under one seed."""

import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    get_linear_schedule_with_warmup,
)


def sentences():
    return torch.randint(0, 100, (4, 16))


def for_bert():
    mask = torch.arange(16)[None] < torch.randint(5, 16, (4, 1))
    return {"input_ids": sentences(), "attention_mask": mask.long(), "labels": torch.randint(0, 3, (4,))}


def for_decoders():
    words = sentences()
    return {"input_ids": words, "labels": words}


def for_t5():
    return {"input_ids": sentences(), "labels": torch.randint(0, 100, (4, 8))}


SIZE = {"vocab_size": 100, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32, "intermediate_size": 64}
GPT2 = {"vocab_size": 100, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 32}
T5 = {"vocab_size": 100, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}
MODELS = {
    "bert": (BertForSequenceClassification, BertConfig(**SIZE, max_position_embeddings=32, num_labels=3), for_bert),
    "gpt2": (GPT2LMHeadModel, GPT2Config(**GPT2), for_decoders),
    "llama": (LlamaForCausalLM, LlamaConfig(**SIZE, num_key_value_heads=2, max_position_embeddings=64), for_decoders),
    "t5": (T5ForConditionalGeneration, T5Config(**T5, decoder_start_token_id=0), for_t5),
}

for name, (kind, shape, batch) in MODELS.items():
    torch.manual_seed(0)
    model = kind(shape).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = get_linear_schedule_with_warmup(optimizer, 2, 10)
    for step in range(4):
        loss = model(**batch()).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        print(name, step, f"{loss.item():.4f}", schedule.get_last_lr())
    model.eval()
    with torch.no_grad():
        found = model(**batch())
        print(f"{found.loss.item():.4f}", [f"{v:.3f}" for v in found.logits.flatten()[:4].tolist()])
    if name != "bert":
        print(model.generate(torch.randint(1, 100, (2, 5)), max_new_tokens=8, do_sample=False).tolist())
        torch.manual_seed(1)
        print(model.generate(torch.randint(1, 100, (2, 5)), max_new_tokens=8, do_sample=True, top_k=20).tolist())
