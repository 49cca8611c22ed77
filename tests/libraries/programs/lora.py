"""peft: LoRA adapters on a GPT-2, trained, merged, saved and read."""

import tempfile

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
shape = GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=4, n_positions=32)
base = GPT2LMHeadModel(shape)
state = {name: value.clone() for name, value in base.state_dict().items()}
model = get_peft_model(base, LoraConfig(r=4, lora_alpha=8, target_modules=["c_attn"], task_type="CAUSAL_LM"))
model.print_trainable_parameters()
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
words = torch.randint(0, 100, (4, 16))
for step in range(4):
    loss = model(input_ids=words, labels=words).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, f"{loss.item():.4f}")
model.eval()
with tempfile.TemporaryDirectory() as folder, torch.no_grad():
    model.save_pretrained(folder)
    plain = GPT2LMHeadModel(shape)
    plain.load_state_dict(state)
    again = PeftModel.from_pretrained(plain, folder).eval()
    print([f"{v:.3f}" for v in again(words).logits[0, 0, :4].tolist()])
    merged = model.merge_and_unload()
    print([f"{v:.3f}" for v in merged(words).logits[0, 0, :4].tolist()], type(merged).__name__)
