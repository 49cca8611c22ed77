"""Random statements of a training step, by phase."""

from __future__ import annotations

import re
from random import Random

from tests.fuzz_steps.program import listed

ZERO = listed("""
# 3 times
opt.zero_grad()

opt.zero_grad(set_to_none=False)

model.zero_grad()

for p in model.parameters():
    p.grad = None

for p in model.parameters():
    if p.grad is not None:
        p.grad.zero_()

opt.zero_grad()
w.grad = None

pass
""")

FORWARD = listed("""
# 3 times
z = model(x)

z = model(x) * w

z = model(x) + w.sum() * v

z = model(x + w.detach())

z = model(x) @ u

z = model(model(x))

z = model(x) * row
""")

LOSS = listed("""
# 2 times
loss = F.mse_loss(z, y)

loss = (z - y).square().mean()

loss = z.square().mean()

loss = F.smooth_l1_loss(z, y)

loss = F.cross_entropy(z, ids[:len(z)] % 4)

loss = (z * y).sum() / 10

loss = z.logsumexp(-1).mean()

loss = F.huber_loss(z, y, reduction='sum')

loss = -F.log_softmax(z, -1)[:, 0].mean()
""")

EXTRA = listed("""
loss = loss + 0.01 * sum(p.square().sum() for p in model.parameters())

loss = loss + (w * v).sum() * 0.1

loss = loss + w.square().mean()

loss = loss * u[0, 0].exp()

loss = loss + model(x.flip(0)).mean()

loss = loss + (z.detach() * w).mean()

loss += w.sum() * 0.01

z.register_hook(lambda g: g * 1.5)

z.retain_grad()

with torch.no_grad():
    again = model(x)
loss = loss + (z - again).square().mean()

g, = torch.autograd.grad(loss, [w], create_graph=True, allow_unused=True)
if g is not None:
    loss = loss + g.square().sum()

loss = loss / 2

loss = torch.stack([loss, z.mean()]).sum()

kept['z'] = z

kept['z'] = z.detach()

z = z.detach()

y = y.clone()
y[0] = z.detach()[0]
loss = loss + (z - y).square().mean()

loss = torch.utils.checkpoint.checkpoint(lambda a: F.mse_loss(a.tanh(), y), z, use_reentrant=False) + loss

loss = loss + Scale.apply(z).mean()

loss = loss + sum(t.mean() for t in Both.apply(z, w))

loss = loss + torch.func.functional_call(model, dict(model.named_parameters()), (x,)).mean()

loss = loss + torch.func.vmap(lambda a: (a * w).sum())(z).mean()

loss = loss + 0.1 * torch.func.grad(lambda a: (a * v.detach()).square().sum())(w.detach()).sum()

with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    loss = loss + (z * w).square().mean()

with torch.autograd.graph.save_on_cpu():
    loss = loss + (z * w).square().mean()

loss = loss + z[z > 0.1].sum() * 0.1

loss = loss + torch.where(z > 0.1, z, w).mean()

loss = loss + z.sort(-1).values[:, 0].sum()

loss = loss + z.index_add(0, torch.tensor([0, 0, 1])[:len(z)], z).mean()

loss = loss + torch.einsum('ij,kj->ik', z, z).mean()

box = torch.empty_like(z)
box.copy_(z)
loss = loss + box.square().mean()

box = torch.zeros(len(z), 5)
box[:, :4] = z
box[0].mul_(2)
loss = loss + box.square().mean()

parts = z.unbind(1)
loss = loss + (parts[0] * parts[-1]).sum()

loss = loss + z.unfold(1, 2, 1).prod(-1).mean()

loss = loss + torch.cumsum(z, 0)[-1].mean()

loss = loss + torch.cat([z, w[None], v[None] * 0.5]).square().mean()

z.mul_(1.5)
loss = loss + z.mean()

loss = loss + (model(x) - z.detach()).square().add(0.1).log().mean()
""")

BACKWARD = listed("""
# 5 times
loss.backward()

loss.backward(retain_graph=True)
loss.backward()

torch.autograd.backward([loss])

loss.backward(torch.full_like(loss, 0.5))

for p, g in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)):
    p.grad = g

loss.backward(inputs=[p for p in model.parameters() if p.requires_grad])

loss.backward(inputs=[w])

loss.backward(create_graph=True)

(loss * 0.5).backward(retain_graph=True)
z.mean().backward()

for part, due in zip(x.chunk(2), y.chunk(2)):
    (F.mse_loss(model(part), due) / 2).backward()
loss = loss.detach()
""")

GRADIENTS = listed("""
# 2 times
nn.utils.clip_grad_norm_(model.parameters(), 0.5)

nn.utils.clip_grad_value_(model.parameters(), 0.1)

norm = nn.utils.clip_grad_norm_([*model.parameters(), w], 1.0)
log.append(norm)

for p in model.parameters():
    if p.grad is not None:
        p.grad.mul_(0.5)

for p in model.parameters():
    if p.grad is not None:
        p.grad = p.grad * 2

for p in model.parameters():
    if p.grad is not None:
        p.grad.add_(p.detach(), alpha=0.1)

kept['grad'] = first.grad

kept['grad'] = first.grad.clone()

log.append(w.grad)

first.grad = None

first.grad = first.grad.tanh()

first.grad.data.clamp_(-0.1, 0.1)

w.grad = torch.ones_like(w)

w.grad, v.grad = v.grad, w.grad

w.grad = v.grad

kept['norm'] = torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm()

if first.grad is not None:
    first.grad[0] = 0.0

first.grad = first.grad.detach()
""")

UPDATE = listed("""
# 12 times
opt.step()

opt.step()
opt.zero_grad()

opt.step()
opt.step()

pass

with torch.no_grad():
    for p in model.parameters():
        if p.grad is not None:
            p -= 0.05 * p.grad

with torch.no_grad():
    for p in model.parameters():
        if p.grad is not None:
            p.add_(p.grad, alpha=-0.05)
            p.grad = None

for p in model.parameters():
    if p.grad is not None:
        p.data = p.data - 0.05 * p.grad

opt.step(lambda: loss)

def again():
    opt.zero_grad()
    due = F.mse_loss(model(x), y)
    due.backward()
    return due
loss = opt.step(again)

with torch.no_grad():
    moved = [p for p in model.parameters() if p.grad is not None]
    torch._foreach_add_(moved, [p.grad for p in moved], alpha=-0.05)
""")

AFTER = listed("""
with torch.no_grad():
    for e, p in zip(ema, model.parameters()):
        e.mul_(0.9).add_(p, alpha=0.1)

with torch.no_grad():
    for e, p in zip(ema, model.parameters()):
        e.lerp_(p, 0.1)

for e, p in zip(ema, model.parameters()):
    e.copy_(p.detach())

ema = [e * 0.9 + p.detach() * 0.1 for e, p in zip(ema, model.parameters())]
kept['ema'] = ema[0]

average.update_parameters(model)

with torch.no_grad():
    first.clamp_(-0.5, 0.5)

with torch.no_grad():
    w.mul_(0.99)

w.data.add_(0.01)

with torch.no_grad():
    w[0] = 0.5

with torch.no_grad():
    w[1:] = v[1:]

first.data = first.data * 0.9

with torch.no_grad():
    v.copy_(w)

with torch.no_grad():
    w.add_(torch.randn(4), alpha=0.01)

with torch.no_grad():
    first.div_(first.norm() + 1)

with torch.no_grad():
    row.add_(0.1)

log.append(loss.detach())

log.append(loss)

log.append(w.detach().clone())

kept['out'] = z

kept['w'] = w.detach()

kept.clear()

model.last = loss.detach()

kept['loss'] = loss.detach() + kept.get('loss', 0)

model.eval()
with torch.no_grad():
    log.append(model(x).mean())
model.train()

total.add_(loss.detach())

total += loss.detach()

history[0] = loss.detach()

history.copy_(torch.roll(history, 1))
history[0].copy_(loss.detach())

try:
    model(x[:, :2])
except RuntimeError:
    log.append(torch.ones(()))

kept['none'] = None

best = torch.minimum(total, loss.detach())
total.copy_(best)

if loss.item() > 1e3:
    loss = loss * 0

view.add_(0.1)

log.append(float(loss))

kept['view'] = first.detach()[0]

kept['p'] = first

torch._foreach_mul_([w.detach(), v.detach()], 0.95)

opt.param_groups[0]['lr'] *= 0.9

noise = torch.rand(())
total.add_(noise)

with torch.no_grad():
    torch._foreach_lerp_(ema, list(model.parameters()), 0.1)

with torch.no_grad():
    torch._foreach_mul_(ema, 0.9)
    torch._foreach_add_(ema, list(model.parameters()), alpha=0.1)

torch._foreach_copy_(ema, [p.detach() for p in model.parameters()])

with torch.no_grad():
    flat = nn.utils.parameters_to_vector(model.parameters())
    nn.utils.vector_to_parameters(flat.clamp(-1, 1), model.parameters())

with torch.inference_mode():
    log.append(model(x).mean())

history[1:] = history[:-1].clone()
history[0] = loss.detach()

history = torch.cat([loss.detach()[None], history[:-1]])

total.data = loss.detach().clone()

w.data[:2] *= 0.9

with torch.no_grad():
    first.view(-1)[0] = 0.1

w.detach().unsqueeze(0).t()[1:].add_(0.01)

with torch.no_grad():
    w.masked_fill_(w > 1.05, 1.0)

with torch.no_grad():
    w[w > 1] *= 0.9

with torch.no_grad():
    u.index_copy_(0, ids[:1] % 4, row[None])

with torch.no_grad():
    torch.add(w, v, alpha=0.1, out=row)

torch.mean(z.detach(), 0, out=row)
""")

RETURN = listed("""
# 2 times
return loss

# 2 times
return loss.detach()

return loss, z

return z

return {'loss': loss, 'z': z.detach()}

return None

return [loss.detach(), w]

return first

return z.detach()[0]

return (loss, loss)

return w.grad

return loss.item()

return total

return 1.5, loss.detach()

return x, loss

return model
""")
STOP = "if stop:\n    raise ValueError('stop')"


# Matches statements that end or prevent the capture of a call, such as changes of Python state and reads of elements.
_OPAQUE = re.compile(
    r"kept|log\.|item\(|float\(|model\.last|\['lr'\] \*=|retain_grad|ema = |try:|create_graph"
    r"|return (\(|model|first|w.grad|z.detach\(\)\[)"
)


def write_step(random: Random, is_opaque: bool) -> dict[str, list[str]]:
    """Write the statements of a step, by phase.

    If `is_opaque`, they include statements that end the capture.
    """

    def some(rows: tuple[str, ...], chance: float = 1.0) -> list[str]:
        allowed = [row for row in rows if is_opaque or not _OPAQUE.search(row)]
        return [random.choice(allowed)] if random.random() < chance else []

    after = [row for _ in range(random.choice((0, 1, 1, 2, 3))) for row in some(AFTER)]
    return {
        "zero": some(ZERO),
        "forward": [*some(FORWARD), *some(LOSS), *some(EXTRA, 0.5)],
        "backward": [*some(BACKWARD), *some(GRADIENTS, 0.5), *some(GRADIENTS, 0.15)],
        "update": some(UPDATE),
        "after": after,
        "return": some(RETURN),
    }
