"""Weights computed from other tensors: weight norm, spectral norm, parametrizations, functional calls and fusion."""

import pytest
import torch

import torchlike
from tests.nn.twins import agree, execute

SETTING = """
L, X = nn.Linear(2, 3), T.ones(4, 2)
U, P = nn.utils, nn.utils.parametrize
class Double(nn.Module):
    def forward(self, x):
        return x * 2
    def right_inverse(self, x):
        return x / 2
"""

SCRIPTS = {
    "gradients from before": """
for made in (P.weight_norm, P.spectral_norm) if hasattr(P, 'weight_norm') else (
        U.parametrizations.weight_norm, U.parametrizations.orthogonal):
    layer = nn.Linear(3, 3)
    layer(T.ones(2, 3)).sum().backward()
    weight = layer.weight
    made(layer)
    log([(p is weight, p.grad is None, p.data_ptr() == weight.data_ptr()) for p in layer.parameters()])
""",
    "weight_norm": """
U.weight_norm(L); log(repr(L)); log(L.state_dict()); log(L(X)); L(X).sum().backward(); log(L.weight_g.grad)
log(L.weight_v.grad); log(list(vars(L))[-3:]); U.remove_weight_norm(L); log(L.state_dict())
log(type(L.weight).__name__)
""",
    "weight_norm of all dims": """
C = U.weight_norm(nn.Conv2d(2, 3, 2), dim=None); log(C.state_dict()); C = U.weight_norm(nn.Conv2d(2, 3, 2), dim=1)
log(C.state_dict()); U.weight_norm(C)
""",
    "no weight_norm": "U.remove_weight_norm(L)",
    "spectral_norm": """
U.spectral_norm(L); log(repr(L)); log(L.state_dict()); log(L(X)); log(L.state_dict()); L(X).sum().backward()
log(L.weight_orig.grad); L.eval(); log(L(X)); log(L.state_dict()); U.remove_spectral_norm(L); log(L.state_dict())
""",
    "spectral_norm twice": "U.spectral_norm(U.spectral_norm(L))",
    "spectral_norm without steps": "U.spectral_norm(L, n_power_iterations=0)",
    "parametrizations.weight_norm": """
U.parametrizations.weight_norm(L); log(repr(L)); log(L.state_dict()); log(L(X)); L(X).sum().backward()
log([p.grad for p in L.parameters()]); P.remove_parametrizations(L, 'weight'); log(repr(L)); log(L.state_dict())
""",
    "parametrizations.spectral_norm": """
U.parametrizations.spectral_norm(L); log(repr(L)); log(L.state_dict()); log(L(X)); log(L.state_dict())
N = U.parametrizations.spectral_norm(nn.LayerNorm(3)); log(N.weight); log(repr(N))
""",
    **{
        f"orthogonal {rows}x{columns} {which} {trivial}": f"""
M = nn.Linear({columns}, {rows}, dtype=T.float64)
Q = T.arange({rows}. * {columns}).sqrt().double().view({rows}, {columns})
U.parametrizations.orthogonal(M, 'weight', {which}, use_trivialization={trivial}); log(repr(M)); log(M.weight)
M.weight.abs().sum().backward(); log(M.parametrizations.weight.original.grad); T.manual_seed(3)
M.weight = M.weight.detach().flip(0); log(M.weight); M.weight = Q; log(M.weight); log(list(M.state_dict()))
"""
        for rows, columns in ((3, 3), (4, 2), (2, 4))
        for which in (None, "'matrix_exp'", "'cayley'", "'householder'")
        for trivial in (True, False)
    },
    "orthogonal, complex": "M = nn.Linear(2, 3, dtype=T.complex128); U.parametrizations.orthogonal(M); log(M.weight)",
    "orthogonal, complex reflections": """
U.parametrizations.orthogonal(nn.Linear(2, 3, dtype=T.cfloat), 'weight', 'householder')
""",
    "orthogonal of nothing": "U.parametrizations.orthogonal(L, 'w')",
    "orthogonal of a vector": "U.parametrizations.orthogonal(L, 'bias')",
    "orthogonal by no map": "U.parametrizations.orthogonal(L, 'weight', 'qr')",
    "orthogonal, another shape": "U.parametrizations.orthogonal(L); L.weight = T.ones(3, 3)",
    "parametrize": """
before = L.weight.detach().clone(); P.register_parametrization(L, 'weight', Double())
log(repr(L)); log(L.weight - before); log(P.is_parametrized(L)); log(P.is_parametrized(L, 'bias'))
log(P.type_before_parametrizations(L) is nn.Linear); log(L.weight is L.weight)
L.weight = T.ones(3, 2); log(L.weight); log(L.parametrizations.weight.original)
P.register_parametrization(L, 'weight', Double()); P.register_parametrization(L, 'bias', Double()); log(repr(L))
with P.cached():
    log(L.weight is L.weight)
import copy
C = copy.deepcopy(L); log(repr(C)); C.weight = T.zeros(3, 2); log(L.weight)
P.remove_parametrizations(L, 'weight'); log(repr(L)); log(type(L.weight).__name__); log(L.weight)
P.remove_parametrizations(L, 'bias', leave_parametrized=False); log(repr(L)); log(type(L).__name__)
""",
    "no right inverse": """
P.register_parametrization(L, 'weight', nn.Tanh()); log(L(X)); L.weight = X
""",
    "parametrized pickle": """
import pickle
pickle.dumps(P.register_parametrization(L, 'weight', nn.Tanh()))
""",
    "removed while frozen": """
for frozen in ('bias', 'parametrizations.weight.original0', 'parametrizations'):
    L = U.parametrizations.weight_norm(nn.Linear(2, 3))
    for name, parameter in L.named_parameters():
        parameter.requires_grad_(not name.startswith(frozen))
    P.remove_parametrizations(L, 'weight')
    log([(name, p.requires_grad) for name, p in L.named_parameters()]); log([name for name, _ in L.named_buffers()])
""",
    "nothing to parametrize": "P.register_parametrization(L, 'foo', nn.Tanh())",
    "no parametrization": "P.remove_parametrizations(L, 'weight')",
    "changed shape": "P.register_parametrization(L, 'weight', nn.Flatten(0))",
    "changed shape later": """
P.register_parametrization(L, 'weight', nn.Tanh()); P.register_parametrization(L, 'weight', nn.Flatten(0))
""",
    "stateless": """
log(U.stateless.functional_call(L, {'weight': T.ones(3, 2)}, X)); log(L.weight.shape); log(type(L.weight).__name__)
""",
    "fusion": """
conv, bn = nn.Conv2d(2, 3, 2).eval(), nn.BatchNorm2d(3)
bn(T.arange(24.0).view(1, 3, 2, 4)); bn.eval()
fused = U.fuse_conv_bn_eval(conv, bn); log(fused.weight); log(fused.bias)
line = nn.BatchNorm1d(3).eval(); log(U.fuse_linear_bn_eval(L.eval(), line)(X))
""",
    "fusion in training": "U.fuse_conv_bn_eval(nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3))",
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", SCRIPTS)
def test_behaves_alike(name):
    agree(lambda T: execute(SETTING + SCRIPTS[name], T), rtol=1e-4, atol=1e-5)


def functional_call(T):
    if T is torch:
        return torch.func.functional_call
    from torchlike.nn.utils.stateless import call_with

    return call_with


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ("{'weight': T.ones(3, 2), 'foo': X}", ""),
        ("{'weight': T.ones(3, 2), 'foo': X}", ", strict=True"),
        ("({'weight': T.ones(3, 2)}, {'bias': T.zeros(3)})", ", strict=True"),
        ("({'weight': T.ones(3, 2)}, {'weight': T.zeros(3)})", ""),
    ],
)
def test_functional_call(given, options):
    line = f"log(call(L, {given}, (X,){options})); log(L.weight)"
    agree(lambda T: execute(SETTING + line, T, call=functional_call(T)))


def test_functional_call_ties_weights():
    script = """
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2, bias=False); self.b = nn.Linear(2, 2, bias=False); self.b.weight = self.a.weight
    def forward(self, x):
        return self.b(self.a(x))
tied = Tied()
for tie in (True, False):
    log(call(tied, {'a.weight': T.ones(2, 2)}, (T.ones(2),), tie_weights=tie))
"""
    agree(lambda T: execute(script, T, call=functional_call(T)))


def test_attention_backends():
    attention = torchlike.nn.attention
    with attention.sdpa_kernel([attention.SDPBackend.MATH, attention.SDPBackend.FLASH_ATTENTION]):
        pass
    with pytest.raises(AssertionError, match="Backend must be an instance of SDPBackend"), attention.sdpa_kernel(3):
        pass


PRUNE = {
    "l1": """
P.l1_unstructured(a, 'weight', amount=0.5); log(repr(a)); log(a.state_dict()); log(a.weight)
log(len(a._forward_pre_hooks))
P.random_unstructured(a, 'weight', amount=2); log(a.weight_mask); log(P.is_pruned(a)); log(P.is_pruned(nn.ReLU()))
a(T.ones(3)).sum().backward(); log(a.weight_orig.grad)
P.remove(a, 'weight'); log(a.state_dict()); log(type(a.weight).__name__); log(len(a._forward_pre_hooks))
""",
    "ln": "P.ln_structured(a, 'weight', amount=0.5, n=2, dim=0); log(a.weight_mask); log(a(T.ones(3)))",
    "ln, then l1": """
P.ln_structured(a, 'weight', amount=1, n=1, dim=0); P.l1_unstructured(a, 'weight', amount=0.5); log(a.weight_mask)
P.ln_structured(a, 'weight', amount=1, n=1, dim=0); log(a.weight_mask)
""",
    "random channels": "P.random_structured(a, 'weight', amount=1, dim=1); log(a.weight_mask)",
    "identity": "P.identity(a, 'weight'); log(a.weight_mask)",
    "mask": "P.custom_from_mask(a, 'bias', T.tensor([1, 0, 0, 1])); log(a.bias_mask); log(a.bias)",
    "global": """
P.global_unstructured([(a, 'weight'), (b, 'weight')], P.L1Unstructured, amount=0.5)
log(a.weight_mask); log(b.weight_mask)
""",
    "scores": """
P.l1_unstructured(a, 'weight', amount=1, importance_scores=T.arange(12.0).view(4, 3)); log(a.weight_mask)
""",
    "not pruned": "P.remove(a, 'weight')",
    "too much": "P.l1_unstructured(a, 'weight', amount=13)",
    "too large a fraction": "P.l1_unstructured(a, 'weight', amount=1.5)",
    "negative": "P.l1_unstructured(a, 'weight', amount=-1)",
    "no amount": "P.l1_unstructured(a, 'weight', amount='a')",
    "one dimension": "P.ln_structured(a, 'bias', amount=0.5, n=2, dim=0)",
    "no such dimension": "P.ln_structured(a, 'weight', amount=0.5, n=2, dim=5)",
    "without a module": "log(P.L1Unstructured(2).prune(T.arange(4.0)))",
}


@pytest.mark.parametrize("name", PRUNE)
def test_prunes_alike(name):
    setting = "a, b = nn.Linear(3, 4), nn.Linear(4, 2)\n"

    def run(T):
        from importlib import import_module

        return execute(setting + PRUNE[name], T, P=import_module(f"{T.__name__}.nn.utils.prune"))

    agree(run)
