"""`Module`, compared with PyTorch's: attributes, traversal, hooks, state dictionaries, conversion and copying."""

import copy
import pickle
import timeit

import pytest
import torch

import torchlike
from tests.nn.twins import agree, execute

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.register_buffer('kept', T.ones(2))
        self.register_buffer('scratch', T.zeros(2), persistent=False)
        self.scale = nn.Parameter(T.ones(1))
        self.register_parameter('none', None)
        self.norm = nn.BatchNorm1d(3)
        self.again = self.first
    def forward(self, x, scale=1.0):
        return self.norm(self.first(x)) * self.scale * scale

net = Net()
x = T.arange(8.0).view(4, 2)
"""

SCRIPTS = {
    "names": """
log([n for n, _ in net.named_parameters()])
log([n for n, _ in net.named_parameters(prefix='p', remove_duplicate=False)])
log([n for n, _ in net.named_parameters(recurse=False)])
log([n for n, _ in net.named_buffers()])
log([n for n, _ in net.named_modules()])
log([n for n, _ in net.named_modules(prefix='q', remove_duplicate=False)])
log([n for n, _ in net.named_children()])
log(len(list(net.parameters()))); log(len(list(net.buffers(recurse=False))))
log(len(list(net.modules(remove_duplicate=False))))
log([n for n in dir(net) if n in ('first', 'scale', 'kept', 'weight', 'training')])
log(repr(net))
log(list(vars(nn.Module())))
""",
    "a call of its own": """
class Counting(nn.Linear):
    def __call__(self, *args):
        log('called')
        return super().__call__(*args)
linear = Counting(2, 1); log(linear(x)); log(nn.Sequential(linear, nn.ReLU())(x))
with T.no_grad():
    log(linear(x))
""",
    "attributes": """
net.kept = T.zeros(3); log(list(net.state_dict()))
net.kept = None; log(list(net.state_dict())); log(net._buffers['kept'])
net.scale = None; log(list(net.state_dict()))
net.first = nn.ReLU(); log(repr(net))
net.first = None; log(repr(net)); log([n for n, _ in net.named_modules()])
del net.first; del net.scratch; log(hasattr(net, 'first')); log(net._non_persistent_buffers_set == set())
net.extra = nn.Buffer(T.ones(1), persistent=False); log(list(net.state_dict())); log(type(net.extra) is T.Tensor)
net.extra = nn.Parameter(T.ones(1)); log(list(net.state_dict())); log(net._non_persistent_buffers_set == set())
net.extra = nn.ReLU(); log(list(net._parameters)); log(repr(net))
net.plain = T.ones(1); net.plain = nn.Parameter(T.zeros(1)); log('plain' in vars(net)); log(net.plain)
net.register_buffer('scale2', None); net.scale2 = T.ones(1); log(list(net.state_dict()))
""",
    "by name": """
log(net.get_parameter('first.weight') is net.first.weight); log(net.get_buffer('norm.running_mean'))
log(net.get_submodule('') is net); log(repr(net.get_submodule('norm')))
net.set_submodule('first', nn.Linear(2, 3, bias=False)); log(repr(net.first))
net.set_submodule('fresh', nn.ReLU()); log(repr(net))
""",
    "modes": """
log(net.training); net.eval(); log([m.training for m in net.modules()])
net.norm.train(); log([m.training for m in net.modules()])
net.requires_grad_(False); log([p.requires_grad for p in net.parameters()])
seen = []
net.apply(lambda m: seen.append(type(m).__name__)); log(seen)
""",
    "zero_grad": """
net(x).sum().backward()
log([p.grad is None for p in net.parameters()])
grads = [p.grad for p in net.parameters()]
net.zero_grad(set_to_none=False); log([p.grad.clone() for p in net.parameters()])
net(x).sum().backward(); log([p.grad is g for p, g in zip(net.parameters(), grads)])
net.zero_grad(); log([p.grad is None for p in net.parameters()]); del grads
""",
    "conversion": """
weight = net.first.weight
net(x).sum().backward()
net.double(); log(net.first.weight is weight); log([t.dtype for t in net.state_dict().values()])
log([p.grad.dtype for p in net.parameters()]); log(net.scratch.dtype); log(net(x.double()).dtype)
net.to(T.float32); log([t.dtype for t in net.state_dict().values()])
net.half(); net.bfloat16(); net.float(); log([t.dtype for t in net.state_dict().values()])
net.to('cpu', T.float64); log(net.scale.dtype); net.to(T.ones(1)); log(net.scale.dtype)
net.to(device='cpu', dtype=T.float64, non_blocking=True); log(net.scale.dtype)
net.type(T.float32); log(net.norm.num_batches_tracked.dtype)
log(net.cpu() is net)
""",
    "meta": """
with_data = nn.Linear(2, 3)
empty = nn.Linear(2, 3, device='meta'); weight = empty.weight
log(empty.weight); log(empty.to_empty(device='cpu') is empty); log(empty.weight is weight); log(empty.weight.shape)
empty = nn.Linear(2, 3, device='meta')
empty.load_state_dict(with_data.state_dict(), assign=True); log(empty.weight); log(type(empty.weight).__name__)
log(nn.utils.skip_init(nn.Linear, 2, 3).weight.shape)
""",
    "state_dict": """
log(net.state_dict()); log(net.state_dict(prefix='p.')); log(dict(net.state_dict()._metadata))
log(type(net.state_dict()).__name__)
log(net.state_dict()['scale'].requires_grad); log(net.state_dict(keep_vars=True)['scale'].requires_grad)
net.state_dict()['scale'].fill_(7); log(net.scale)
other = Net(); log(repr(other.load_state_dict(net.state_dict()))); log(other.scale)
log(other.load_state_dict({'scale': T.zeros(1), 'zz': T.ones(1)}, strict=False))
log(other.load_state_dict({k: v for k, v in net.state_dict().items() if 'tracked' not in k}, strict=False))
log(other.scale)
weight = nn.Parameter(T.ones(1)); bare = dict(net.state_dict(), scale=weight)
other.load_state_dict(bare, assign=True); log(other.scale is weight)
other.load_state_dict(dict(bare, scale=T.ones(1)), assign=True); log(type(other.scale).__name__); log(other.scale)
""",
    "extra state": """
class Extra(nn.Module):
    def __init__(self):
        super().__init__(); self.n = 1; self.lin = nn.Linear(1, 1)
    def get_extra_state(self):
        return {'n': self.n}
    def set_extra_state(self, state):
        self.n = state['n']
a, b = Extra(), Extra(); a.n = 5
log(list(a.state_dict())); b.load_state_dict(a.state_dict()); log(b.n)
state = a.state_dict(); del state['_extra_state']
log(b.load_state_dict(state, strict=False))
log(nn.Linear(1, 1).load_state_dict({'weight': T.ones(1, 1), 'bias': T.ones(1), '_extra_state': 3}, strict=False))
""",
    "state hooks": """
net.register_state_dict_pre_hook(lambda m, prefix, keep: log(('pre', prefix, keep)))
net.register_state_dict_post_hook(lambda m, s, prefix, meta: s.pop('kept') and None)
net._register_state_dict_hook(lambda m, s, prefix, meta: log(('old', sorted(s)[:2], prefix)))
handle = net.register_load_state_dict_pre_hook(lambda m, s, *rest: s.pop('scale') and None)
net._register_load_state_dict_pre_hook(lambda s, prefix, *rest: log(('private', prefix)))
net.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
net.first.register_load_state_dict_post_hook(lambda m, keys: log(type(m).__name__))
state = net.state_dict(); log(sorted(state))
log(repr(net.load_state_dict(state))); handle.remove()
log(repr(net.load_state_dict(state)))
""",
    "forward hooks": """
net.register_forward_hook(lambda m, a, out: log(('second', len(a))))
net.register_forward_hook(lambda m, a, out: log('first'), prepend=True)
net.register_forward_hook(lambda m, a, k, out: log(('kwargs', k)) or out * 2, with_kwargs=True)
net.register_forward_pre_hook(lambda m, a: log('pre') or (a[0] + 1,))
net.register_forward_pre_hook(lambda m, a, k: (a, {'scale': 3.0}), with_kwargs=True)
handle = net.first.register_forward_hook(lambda m, a, out: log('inner'))
log(net(x)); handle.remove(); handle.remove(); log(net(x, scale=2.0))
with net.first.register_forward_hook(lambda m, a, out: log('inner')):
    net(x)
net(x)
""",
    "one argument from a pre-hook": """
net.register_forward_pre_hook(lambda m, a: a[0] * 2)
log(net(x))
""",
    "always called": """
class Fails(nn.Module):
    def forward(self, x):
        raise ValueError('no')
bad = Fails()
bad.register_forward_hook(lambda m, a, out: log(('always', out)), always_call=True)
bad.register_forward_hook(lambda m, a, out: log('never'))
try:
    bad(x)
except ValueError as error:
    log(str(error))
""",
    "global hooks": """
M = nn.modules.module
handles = [M.register_module_forward_pre_hook(lambda m, a: log(('pre', type(m).__name__))),
           M.register_module_forward_hook(lambda m, a, out: log(('post', type(m).__name__))),
           M.register_module_parameter_registration_hook(lambda m, n, p: log(n)),
           M.register_module_module_registration_hook(lambda m, n, c: log((n, type(c).__name__))),
           M.register_module_buffer_registration_hook(lambda m, n, b: log(n))]
net(x)
nn.Sequential(nn.BatchNorm1d(2))
for handle in handles:
    handle.remove()
net(x)
""",
    "full backward hooks": """
lin = net.first
lin.register_full_backward_hook(lambda m, gi, go: log(('full', gi, go)))
lin.register_full_backward_pre_hook(lambda m, go: log(('pre', go)))
lin.register_full_backward_hook(lambda m, gi, go: log('before'), prepend=True)
out = lin(x.requires_grad_()); log(out.grad_fn.name() if hasattr(out.grad_fn, 'name') else '')
out.sum().backward(); log(x.grad); log(lin.weight.grad)
""",
    "backward hooks that replace": """
lin = net.first
lin.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
lin.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
lin(x.requires_grad_()).sum().backward(); log(x.grad); log(lin.weight.grad)
""",
    "backward hooks without input gradients": """
net.first.register_full_backward_hook(lambda m, gi, go: log((gi, go)))
net.first(x).sum().backward()
""",
    "backward hooks of several values": """
class Two(nn.Module):
    def forward(self, a, flag, b):
        return a * b, 'word', b + 1
two = Two()
two.register_full_backward_hook(lambda m, gi, go: log(('hook', gi, go)))
a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
out = two(a, True, b); out[0].sum().backward(); log(a.grad); log(b.grad)
""",
    "backward hooks that return the wrong thing": """
def attempt(register, hook):
    lin = nn.Linear(2, 3)
    getattr(lin, register)(hook)
    try:
        lin(T.ones(2, requires_grad=True)).sum().backward()
    except Exception as error:
        log((type(error).__name__, str(error)))
attempt('register_full_backward_hook', lambda m, gi, go: (1, 2))
attempt('register_full_backward_hook', lambda m, gi, go: 3)
attempt('register_full_backward_hook', lambda m, gi, go: (3,))
attempt('register_full_backward_pre_hook', lambda m, go: (1, 2))
lin = nn.Linear(2, 3)
lin.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True)
try:
    lin(T.ones(2))
except RuntimeError as error:
    log(str(error))
""",
    "unhookable output": """
m = nn.Identity(); m.register_full_backward_hook(lambda *a: None); log(m({'a': x}))
""",
    "mixed backward hooks": """
net.register_full_backward_hook(lambda *a: None)
try:
    net.register_backward_hook(lambda *a: None)
except RuntimeError as error:
    log(str(error))
""",
    "call_super_init": """
class Mixin:
    def __init__(self, tag):
        log(tag)
class Both(nn.Module, Mixin):
    call_super_init = True
    def __init__(self):
        super().__init__('called')
log(repr(Both()))
""",
    "instance forward": """
net.forward = lambda x: x + 1
log(net(x)); log(net._call_impl(x))
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_module_behaves_alike(name):
    agree(lambda T: execute(NET + SCRIPTS[name], T), warned=False)


class Plain(torchlike.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torchlike.nn.Sequential(torchlike.nn.Linear(2, 3), torchlike.nn.BatchNorm1d(3))
        self.tied = self.body[0].weight
        self.register_buffer("b", torchlike.ones(1), persistent=False)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["copy", "pickle"])
def test_copies_hold_their_own_tensors(copied):
    net = Plain()
    net.body.register_forward_hook(_nothing)
    other = copied(net)
    assert repr(other) == repr(net)
    assert list(other.state_dict()) == list(net.state_dict())
    assert isinstance(other.tied, torchlike.nn.Parameter)
    assert len(other.body._forward_hooks) == 1
    with torchlike.no_grad():
        other.body[0].weight.fill_(3.0)
    assert not (net.body[0].weight == 3).any()
    assert other.body.eval()(torchlike.ones(4, 2)).shape == (4, 3)


def test_ties_survive_a_copy():
    net = copy.deepcopy(Plain())
    assert net.tied is net.body[0].weight


def _nothing(module, args, output):
    return None


def test_module_is_typed_for_users():
    layer = torchlike.nn.Linear(2, 2)
    assert isinstance(layer.weight, torchlike.nn.Parameter)
    assert isinstance(layer.weight, torchlike.Tensor)
    assert not isinstance(layer.weight.data, torchlike.nn.Parameter)
    assert not isinstance(layer.weight * 1, torchlike.nn.Parameter)


def test_a_call_without_hooks_costs_little():
    class Nothing(torchlike.nn.Module):
        def forward(self, x):
            return x

    class Theirs(torch.nn.Module):
        def forward(self, x):
            return x

    ours, theirs = (min(timeit.repeat(lambda m=m: m(1), number=2000, repeat=7)) for m in (Nothing(), Theirs()))
    assert ours < 2 * theirs
