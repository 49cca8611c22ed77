"""transformers: five architectures trained for a step, saved and read by `from_pretrained`, generating"""

import tempfile

import torch
import transformers

transformers.logging.set_verbosity_error()
SIZES = {"vocab_size": 100, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32}
SIZES |= {"intermediate_size": 64, "max_position_embeddings": 64}
ARCHITECTURES = {
    "Llama": (transformers.LlamaForCausalLM, transformers.LlamaConfig(**SIZES, num_key_value_heads=2)),
    "Qwen2": (transformers.Qwen2ForCausalLM, transformers.Qwen2Config(**SIZES, num_key_value_heads=2)),
    "BERT": (transformers.BertForMaskedLM, transformers.BertConfig(**SIZES)),
    "GPT-2": (
        transformers.GPT2LMHeadModel,
        transformers.GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=4, n_positions=64),
    ),
    "T5": (
        transformers.T5ForConditionalGeneration,
        transformers.T5Config(
            vocab_size=100, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0
        ),
    ),
}

for name, (kind, config) in ARCHITECTURES.items():
    torch.manual_seed(0)
    model = kind(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ids = torch.randint(1, 100, (2, 8))
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optimizer.step()
    with tempfile.TemporaryDirectory() as place:
        model.save_pretrained(place)
        read = kind.from_pretrained(place).eval()
    pairs = zip(model.state_dict().items(), read.state_dict().items(), strict=True)
    same = all(a == b and torch.equal(x, y) for (a, x), (b, y) in pairs)
    print(f"{name}: loss {loss.item():.4f}, read as saved: {same}")
    with torch.no_grad():
        if name == "BERT":
            print(f"{read(input_ids=ids).logits.abs().sum().item():.2f}")
        else:
            print(read.generate(ids[:1], max_new_tokens=4, do_sample=False).tolist())
