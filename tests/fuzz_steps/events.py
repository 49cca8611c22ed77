"""Random statements between the calls of a training step."""

from __future__ import annotations

from tests.fuzz_steps.program import listed

EVENTS = listed("""
opt.param_groups[0]['lr'] = 0.02

opt.param_groups[0]['lr'] *= 0.5

opt.param_groups[0]['weight_decay'] = 0.2

for group in opt.param_groups:
    group['lr'] = 0.03

if 'sched' in globals():
    sched.step()

opt.step()

opt.zero_grad()

opt.zero_grad(set_to_none=False)

model.zero_grad()

w.grad = None

w.grad = torch.ones_like(w)

first.grad = None

first.grad = torch.ones_like(first)

first.grad = None if first.grad is None else first.grad.clone()

if w.grad is not None:
    w.grad.zero_()

if first.grad is not None:
    first.grad.mul_(2)

w.grad = v.grad

w.grad = v.grad.detach() if v.grad is not None else None

if w.grad is not None:
    v.grad = w.grad[:]

saved = copy.deepcopy(model.state_dict())

if 'saved' in globals():
    model.load_state_dict(saved)

model.load_state_dict(start)

saved_opt = copy.deepcopy(opt.state_dict())

if 'saved_opt' in globals():
    opt.load_state_dict(saved_opt)

opt.load_state_dict(start_opt)

opt.load_state_dict(opt.state_dict())

model.load_state_dict(model.state_dict(), assign=True)

model.load_state_dict({k: t.clone() for k, t in model.state_dict().items()}, assign=True)

first.requires_grad_(False)

first.requires_grad_(True)

for p in list(model.parameters())[1:]:
    p.requires_grad_(False)

for p in model.parameters():
    p.requires_grad_(True)

w.requires_grad_(False)

model.eval()

model.train()

with torch.no_grad():
    first.mul_(0.9)

with torch.no_grad():
    w.copy_(v)

with torch.no_grad():
    w[0] = 2.0

first.data = first.data.clone()

first.data.mul_(1.1)

first.data = torch.ones_like(first)

w.data = v.data

w.data, v.data = v.data, w.data

view = first.detach()[0]

view.add_(0.1)

view = w.detach()

view = w.data[1:]

row = w.detach()[:1]

row = w[:1].detach()

row.mul_(1.1)

alias = first.detach()
alias.add_(0.01)

view = model.state_dict()[next(iter(model.state_dict()))]

torch.manual_seed(3)

log.clear()

kept.clear()

if hasattr(model, 'p'):
    model.p.zero_()

if hasattr(model, 'p'):
    model.p = torch.ones_like(model.p)

if hasattr(model, 'p'):
    model.p.add_(1)

model.last = None

model.seen = []

if w.requires_grad:
    handle = w.register_hook(lambda g: g * 0.5)

if first.requires_grad:
    handle = first.register_hook(lambda g: g + 0.1)

if 'handle' in globals():
    handle.remove()

if first.requires_grad:
    handle = first.register_post_accumulate_grad_hook(lambda p: (p.grad.mul_(0.5), None)[1])

handle = list(model.modules())[-1].register_forward_hook(lambda m, i, o: o * 1.1)

handle = model.register_forward_pre_hook(lambda m, i: (i[0] * 0.9,))

handle = model.register_full_backward_hook(lambda m, i, o: (i[0] * 2 if i[0] is not None else None,))

handle = opt.register_step_post_hook(lambda o, a, k: (total.add_(1), None)[1])

handle = opt.register_step_pre_hook(lambda o, a, k: (w.detach().mul_(0.9), None)[1])

opt.add_param_group({'params': [extra], 'lr': 0.1})

opt = torch.optim.SGD(model.parameters(), lr=0.05)

opt = torch.optim.Adam([*model.parameters(), w], lr=0.05)

model.a = nn.Linear(4, 4)

model.b = copy.deepcopy(model.b)

w = nn.Parameter(torch.full((4,), 0.5))

v = w

w, v = v, w

if hasattr(model.a, 'weight'):
    model.a.weight = nn.Parameter(model.a.weight.detach().clone())

if hasattr(model.a, 'weight') and hasattr(model.b, 'weight') and model.a.weight.shape == model.b.weight.shape:
    model.a.weight = model.b.weight

first = next(model.parameters())

first = list(model.parameters())[-1]

model = copy.deepcopy(model)

ema = [p.detach().clone() for p in model.parameters()]

ema[0] = ema[0].clone()

total = torch.zeros(())

total.fill_(3)

history.zero_()

u.detach().mul_(0.9)

ids = ids.flip(0)

ids[0] = 3

model(xs[0]).sum().backward()

(w * v).sum().backward()

opt.state.clear()

opt.state[first]['note'] = 1

for s in opt.state.values():
    for t in s.values():
        if torch.is_tensor(t):
            t.mul_(0.5)

moments = [t for s in opt.state.values() for t in s.values()]

if 'moments' in globals():
    moments and moments[0].zero_()

if hasattr(model.a, 'reset_parameters'):
    model.a.reset_parameters()

for m in model.modules():
    if isinstance(m, nn.BatchNorm1d):
        m.reset_running_stats()

for m in model.modules():
    if isinstance(m, nn.BatchNorm1d):
        m.momentum = 0.5

for m in model.modules():
    if isinstance(m, nn.Dropout):
        m.p = 0.1

x_old = xs[1]
x_old.mul_(0.5)

xs[2] = u.detach()[:3]

xs[3] = xs[3].t().contiguous().t()

ys[2] = xs[2]

opt.param_groups[0]['params'].reverse()

opt.param_groups[0]['params'].pop()

if hasattr(model, 'last'):
    del model.last

if isinstance(out, torch.Tensor) and out.requires_grad and not out.is_leaf:
    out.sum().backward()

if isinstance(out, torch.Tensor):
    log.append(out)

out_kept = out

out = None

if isinstance(out, torch.Tensor) and not out.requires_grad:
    out.mul_(2)

model.apply(lambda m: nn.init.normal_(m.weight, std=0.5) if isinstance(m, nn.Linear) else None)

nn.init.uniform_(first)

for p in model.parameters():
    p.grad = torch.zeros_like(p)

opt.param_groups[0]['maximize'] = True

opt.param_groups[0]['foreach'] = False

nn.utils.vector_to_parameters(nn.utils.parameters_to_vector(model.parameters()) * 0.9, model.parameters())

model.requires_grad_(False)

model.requires_grad_(True)

model.to(torch.float32).to(xs[0].dtype)

if isinstance(model.a, nn.Linear):
    nn.utils.prune.l1_unstructured(model.a, 'weight', 0.3)

if nn.utils.parametrize.is_parametrized(model.a):
    nn.utils.parametrize.remove_parametrizations(model.a, 'weight')

if isinstance(model.b, nn.Linear):
    nn.utils.parametrizations.weight_norm(model.b)

file = io.BytesIO()
torch.save([model.state_dict(), opt.state_dict()], file)

if 'file' in globals():
    file.seek(0)
    states = torch.load(file)
    model.load_state_dict(states[0])
    opt.load_state_dict(states[1])

model.b = nn.Identity()

torch.set_grad_enabled(False)

torch.set_grad_enabled(True)

total = torch.zeros((), dtype=torch.float64)

history = torch.ones(5)

w = nn.Parameter(w.detach().flip(0))

w.data = w.data.flip(0)

u.data = u.data.t()

first.data = first.data.clone(memory_format=torch.contiguous_format)

with torch.no_grad():
    first.view(-1)[0] = 0.1

with torch.no_grad():
    first.set_(first.clone())

with torch.no_grad():
    w.resize_(4).zero_()

w.grad = w.detach()

if w.grad is not None:
    w.grad = w.grad.expand(4).clone()

row = torch.ones(1).expand(4)

row = torch.ones(8)[::2]
""")

CALLS = listed("""
# 40 times
out = step(xs[N], ys[N])

out = step(xs[N][:2], ys[N][:2])

out = step(xs[N], xs[N])

out = step(x=xs[N], y=ys[N])

out = step(u.detach()[1:], ys[N])

out = step(xs[N], u.detach()[:, 1:].t())

with torch.no_grad():
    out = step(xs[N], ys[N])

out = step(xs[0], ys[0])

out = step(xs[N].clone().requires_grad_(), ys[N])

out = step(xs[N][:1].expand(3, 4), ys[N])

out = step(xs[N][::2], ys[N][::2])

out = step(xs[N][:0], ys[N][:0])

with torch.inference_mode():
    out = step(xs[N], ys[N])

out = step(xs[N].t().contiguous().t(), ys[N].flip(0))

out = step(xs[N], ys[N].detach().requires_grad_())
""")
FAILING = """
try:
    stop = True
    out = step(xs[N], ys[N])
except ValueError as error:
    log.append(str(error))
finally:
    stop = False
""".strip()
