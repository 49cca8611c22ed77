"""Random statements of a training step, by its phases."""

from __future__ import annotations

from random import Random

ZERO = ("opt.zero_grad()", "opt.zero_grad()", "opt.zero_grad()", "opt.zero_grad(set_to_none=False)", "model.zero_grad()",
        "for p in model.parameters():\n    p.grad = None", "for p in model.parameters():\n    if p.grad is not None:\n        p.grad.zero_()",
        "opt.zero_grad()\nw.grad = None", "")  # fmt: skip
FORWARD = ("z = model(x)", "z = model(x)", "z = model(x)", "z = model(x) * w", "z = model(x) + w.sum() * v",
           "z = model(x + w.detach())", "z = model(x) @ u", "z = model(model(x))", "z = model(x) * row")  # fmt: skip
LOSS = ("loss = F.mse_loss(z, y)", "loss = F.mse_loss(z, y)", "loss = (z - y).square().mean()", "loss = z.square().mean()",
        "loss = F.smooth_l1_loss(z, y)", "loss = F.cross_entropy(z, ids[:len(z)] % 4)", "loss = (z * y).sum() / 10",
        "loss = z.logsumexp(-1).mean()", "loss = F.huber_loss(z, y, reduction='sum')", "loss = -F.log_softmax(z, -1)[:, 0].mean()")  # fmt: skip
EXTRA = ("loss = loss + 0.01 * sum(p.square().sum() for p in model.parameters())", "loss = loss + (w * v).sum() * 0.1",
         "loss = loss + w.square().mean()", "loss = loss * u[0, 0].exp()", "loss = loss + model(x.flip(0)).mean()",
         "loss = loss + (z.detach() * w).mean()", "loss += w.sum() * 0.01", "z.register_hook(lambda g: g * 1.5)",
         "z.retain_grad()", "with torch.no_grad():\n    again = model(x)\nloss = loss + (z - again).square().mean()",
         "g, = torch.autograd.grad(loss, [w], create_graph=True, allow_unused=True)\nif g is not None:\n    loss = loss + g.square().sum()",
         "loss = loss / 2", "loss = torch.stack([loss, z.mean()]).sum()", "kept['z'] = z", "kept['z'] = z.detach()",
         "z = z.detach()", "y = y.clone()\ny[0] = z.detach()[0]\nloss = loss + (z - y).square().mean()",
         "loss = torch.utils.checkpoint.checkpoint(lambda a: F.mse_loss(a.tanh(), y), z, use_reentrant=False) + loss")  # fmt: skip
BACKWARD = ("loss.backward()", "loss.backward()", "loss.backward()", "loss.backward()", "loss.backward()",
            "loss.backward(retain_graph=True)\nloss.backward()", "torch.autograd.backward([loss])",
            "loss.backward(torch.full_like(loss, 0.5))",
            "for p, g in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)):\n    p.grad = g",
            "loss.backward(inputs=[p for p in model.parameters() if p.requires_grad])",
            "loss.backward(inputs=[w])", "loss.backward(create_graph=True)",
            "(loss * 0.5).backward(retain_graph=True)\nz.mean().backward()",
            "for part, due in zip(x.chunk(2), y.chunk(2)):\n    (F.mse_loss(model(part), due) / 2).backward()\nloss = loss.detach()")  # fmt: skip
GRADIENTS = ("nn.utils.clip_grad_norm_(model.parameters(), 0.5)", "nn.utils.clip_grad_norm_(model.parameters(), 0.5)",
             "nn.utils.clip_grad_value_(model.parameters(), 0.1)", "norm = nn.utils.clip_grad_norm_([*model.parameters(), w], 1.0)\nlog.append(norm)",
             "for p in model.parameters():\n    if p.grad is not None:\n        p.grad.mul_(0.5)",
             "for p in model.parameters():\n    if p.grad is not None:\n        p.grad = p.grad * 2",
             "for p in model.parameters():\n    if p.grad is not None:\n        p.grad.add_(p.detach(), alpha=0.1)",
             "kept['grad'] = first.grad", "kept['grad'] = first.grad.clone()", "log.append(w.grad)", "first.grad = None",
             "first.grad = first.grad.tanh()", "first.grad.data.clamp_(-0.1, 0.1)", "w.grad = torch.ones_like(w)",
             "w.grad, v.grad = v.grad, w.grad", "w.grad = v.grad", "kept['norm'] = torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm()",
             "if first.grad is not None:\n    first.grad[0] = 0.0", "first.grad = first.grad.detach()")  # fmt: skip
UPDATE = ("opt.step()",) * 12 + ("opt.step()\nopt.zero_grad()", "opt.step()\nopt.step()", "",
          "with torch.no_grad():\n    for p in model.parameters():\n        if p.grad is not None:\n            p -= 0.05 * p.grad",
          "with torch.no_grad():\n    for p in model.parameters():\n        if p.grad is not None:\n            p.add_(p.grad, alpha=-0.05)\n            p.grad = None",
          "for p in model.parameters():\n    if p.grad is not None:\n        p.data = p.data - 0.05 * p.grad")  # fmt: skip
AFTER = ("with torch.no_grad():\n    for e, p in zip(ema, model.parameters()):\n        e.mul_(0.9).add_(p, alpha=0.1)",
         "with torch.no_grad():\n    for e, p in zip(ema, model.parameters()):\n        e.lerp_(p, 0.1)",
         "for e, p in zip(ema, model.parameters()):\n    e.copy_(p.detach())",
         "ema = [e * 0.9 + p.detach() * 0.1 for e, p in zip(ema, model.parameters())]\nkept['ema'] = ema[0]",
         "average.update_parameters(model)", "with torch.no_grad():\n    first.clamp_(-0.5, 0.5)",
         "with torch.no_grad():\n    w.mul_(0.99)", "w.data.add_(0.01)", "with torch.no_grad():\n    w[0] = 0.5",
         "with torch.no_grad():\n    w[1:] = v[1:]", "first.data = first.data * 0.9", "with torch.no_grad():\n    v.copy_(w)",
         "with torch.no_grad():\n    w.add_(torch.randn(4), alpha=0.01)", "with torch.no_grad():\n    first.div_(first.norm() + 1)",
         "with torch.no_grad():\n    row.add_(0.1)", "log.append(loss.detach())", "log.append(loss)", "log.append(w.detach().clone())",
         "kept['out'] = z", "kept['w'] = w.detach()", "kept.clear()", "model.last = loss.detach()", "kept['loss'] = loss.detach() + kept.get('loss', 0)",
         "model.eval()\nwith torch.no_grad():\n    log.append(model(x).mean())\nmodel.train()", "total.add_(loss.detach())",
         "total += loss.detach()", "history[0] = loss.detach()", "history.copy_(torch.roll(history, 1))\nhistory[0].copy_(loss.detach())",
         "try:\n    model(x[:, :2])\nexcept RuntimeError:\n    log.append(torch.ones(()))", "kept['none'] = None",
         "best = torch.minimum(total, loss.detach())\ntotal.copy_(best)", "if loss.item() > 1e3:\n    loss = loss * 0",
         "view.add_(0.1)", "log.append(float(loss))", "kept['view'] = first.detach()[0]", "kept['p'] = first",
         "torch._foreach_mul_([w.detach(), v.detach()], 0.95)", "opt.param_groups[0]['lr'] *= 0.9", "noise = torch.rand(())\ntotal.add_(noise)")  # fmt: skip
SCHEDULE = ("sched.step()",)
RETURN = ("return loss", "return loss", "return loss.detach()", "return loss.detach()", "return loss, z", "return z",
          "return {'loss': loss, 'z': z.detach()}", "return None", "return [loss.detach(), w]", "return first", "return z.detach()[0]",
          "return (loss, loss)", "return w.grad", "return loss.item()", "return total", "return 1.5, loss.detach()", "return x, loss",
          "return model")  # fmt: skip
STOP = "if stop:\n    raise ValueError('stop')"


def write_step(random: Random) -> dict[str, list[str]]:
    """The statements of a step, by phase."""
    some = lambda rows, chance: [random.choice(rows)] if random.random() < chance else []
    after = random.sample(AFTER, random.choice((0, 1, 1, 2, 3)))
    return {
        "zero": [random.choice(ZERO)],
        "forward": [random.choice(FORWARD), random.choice(LOSS), *some(EXTRA, 0.5)],
        "backward": [random.choice(BACKWARD), *some(GRADIENTS, 0.5), *some(GRADIENTS, 0.15)],
        "update": [random.choice(UPDATE)],
        "after": after,
        "return": [random.choice(RETURN)],
    }
