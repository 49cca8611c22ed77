"""nanochat: a fused AdamW step and one by Newton-Schulz iterations, compiled whole, with hyper-parameters in tensors"""

import torch


@torch.compile(dynamic=False, fullgraph=True)
def adamw_step(p, grad, exp_avg, exp_avg_sq, step, lr, beta1, beta2, eps, weight_decay):
    p.mul_(1 - lr * weight_decay)
    exp_avg.lerp_(grad, 1 - beta1)
    exp_avg_sq.lerp_(grad.square(), 1 - beta2)
    bias1, bias2 = 1 - beta1**step, 1 - beta2**step
    denominator = (exp_avg_sq / bias2).sqrt() + eps
    p.add_(exp_avg / denominator * (-lr / bias1))


@torch.compile(dynamic=False, fullgraph=True)
def muon_step(grads, params, moments, momentum, lr):
    torch._foreach_mul_(moments, momentum)
    torch._foreach_add_(moments, torch._foreach_mul(grads, 1 - momentum))
    x = torch.stack(moments)
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-6)
    for a, b, c in [(3.4445, -4.775, 2.0315)] * 3:
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    torch._foreach_sub_(params, list((x * lr).unbind(0)))


torch.manual_seed(0)
p = torch.randn(4, 3)
exp_avg, exp_avg_sq = torch.zeros_like(p), torch.zeros_like(p)
scalars = [torch.tensor(0.0) for _ in range(6)]
for step in range(1, 6):
    for scalar, value in zip(scalars, (step, 1e-2 / step, 0.9, 0.95, 1e-8, 0.1)):
        scalar.fill_(value)
    adamw_step(p, torch.randn(4, 3), exp_avg, exp_avg_sq, *scalars)
    print(f"{p.abs().sum().item():.5f} {exp_avg_sq.sum().item():.5f}")

params, moments = [torch.randn(3, 4) for _ in range(2)], [torch.zeros(3, 4) for _ in range(2)]
for _ in range(4):
    muon_step([torch.randn(3, 4) for _ in range(2)], params, moments, torch.tensor(0.95), torch.tensor(0.02))
    print(f"{sum(q.abs().sum() for q in params).item():.5f}")
