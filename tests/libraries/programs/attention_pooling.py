"""CLIP: pictures pooled by one query of attention, with projections of their own and another output width"""

import torch
import torch.nn.functional as F


class Pool(torch.nn.Module):
    def __init__(self, side, width, heads, out):
        super().__init__()
        self.positions = torch.nn.Parameter(torch.randn(side * side + 1, width) / width**0.5)
        self.k_proj, self.q_proj, self.v_proj = (torch.nn.Linear(width, width) for _ in range(3))
        self.c_proj = torch.nn.Linear(width, out)
        self.heads = heads

    def forward(self, x):
        x = x.flatten(start_dim=2).permute(2, 0, 1)
        x = torch.cat([x.mean(dim=0, keepdim=True), x], dim=0) + self.positions[:, None, :].to(x.dtype)
        x, _ = F.multi_head_attention_forward(
            query=x[:1],
            key=x,
            value=x,
            embed_dim_to_check=x.shape[-1],
            num_heads=self.heads,
            q_proj_weight=self.q_proj.weight,
            k_proj_weight=self.k_proj.weight,
            v_proj_weight=self.v_proj.weight,
            in_proj_weight=None,
            in_proj_bias=torch.cat([self.q_proj.bias, self.k_proj.bias, self.v_proj.bias]),
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=0.0,
            out_proj_weight=self.c_proj.weight,
            out_proj_bias=self.c_proj.bias,
            use_separate_proj_weight=True,
            training=self.training,
            need_weights=False,
        )
        return x.squeeze(0)


torch.manual_seed(0)
pool = Pool(4, 16, 4, 10)
optimizer = torch.optim.SGD(pool.parameters(), lr=0.1)
for _ in range(3):
    loss = pool(torch.randn(2, 16, 4, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.5f}", [f"{p.grad.abs().sum().item():.4f}" for p in pool.parameters()])
