"""x_transformers and vit_pytorch: a language model trained and sampled, an encoder, two vision transformers."""

import torch
from vit_pytorch import ViT
from vit_pytorch.cct import CCT
from vit_pytorch.simple_vit import SimpleViT
from x_transformers import AutoregressiveWrapper, Decoder, Encoder, TransformerWrapper, ViTransformerWrapper

torch.manual_seed(0)
model = AutoregressiveWrapper(
    TransformerWrapper(
        num_tokens=64,
        max_seq_len=32,
        attn_layers=Decoder(
            dim=32, depth=2, heads=4, attn_dim_head=8, rotary_pos_emb=True, ff_glu=True, use_rmsnorm=True
        ),
    )
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
words = torch.randint(0, 64, (4, 24))
for step in range(3):
    loss = model(words)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, f"{loss.item():.4f}")
model.eval()
print(model.generate(words[:2, :4], 8, temperature=0.0).tolist())
shape = {"image_size": 16, "patch_size": 4, "num_classes": 5}
size = {"dim": 32, "depth": 2, "heads": 4, "mlp_dim": 64}
nets = (
    ViTransformerWrapper(attn_layers=Encoder(dim=32, depth=1, heads=4, attn_dim_head=8, alibi_pos_bias=True), **shape),
    ViT(**shape, **size, dropout=0.1, emb_dropout=0.1),
    SimpleViT(**shape, **size),
    CCT(
        img_size=16,
        embedding_dim=32,
        n_conv_layers=1,
        kernel_size=3,
        num_layers=2,
        num_heads=4,
        mlp_ratio=2.0,
        num_classes=5,
    ),
)
pictures = torch.randn(4, 3, 16, 16)
for net in nets:
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(2):
        loss = torch.nn.functional.cross_entropy(net(pictures), torch.tensor([0, 1, 2, 3]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(type(net).__name__, f"{loss.item():.4f}")
