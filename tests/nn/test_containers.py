"""Containers, compared with PyTorch's."""

import pytest
import torch

import torchlike
from tests.nn.twins import agree, execute

SETTING = """
A, B, C = nn.Linear(2, 3), nn.ReLU(), nn.Tanh()
P, Q = nn.Parameter(T.ones(2)), nn.Parameter(T.zeros(3))
"""

SCRIPTS = {
    "sequential": """
a = nn.Sequential(A, B, C); log(repr(a)); log(repr(a[1:])); log(repr(a[-1])); log(len(a)); log(a(T.ones(2)))
del a[0]; log(repr(a)); a[0] = nn.Sigmoid(); log(repr(a)); a.append(A).extend([B, C]); log(repr(a))
a.insert(1, nn.ELU()); a.insert(-1, nn.GELU()); log(repr(a)); log(repr(a.pop(0))); log(repr(a))
log(repr(nn.Sequential(A) + nn.Sequential(B, C))); log(repr(nn.Sequential(A, B) * 2)); log(repr(2 * nn.Sequential(A)))
a = nn.Sequential(A); a += nn.Sequential(B); a *= 2; log(repr(a)); log([type(m).__name__ for m in a])
""",
    "named sequential": """
a = nn.Sequential(OrderedDict([('x', A), ('y', B), ('z', C)])); log(repr(a)); log(repr(a[1:])); log(repr(a.x))
log(list(a.state_dict())); a.append(A); log(repr(a)); del a[0:2]; log(repr(a))
log(repr(nn.Sequential())); log(nn.Sequential()(3))
""",
    "module list": """
a = nn.ModuleList([A, A, B, nn.Linear(3, 4)]); log(repr(a)); log(len(a)); log(repr(a[1:])); log(repr(a[-1]))
a.append(C); a.extend([B, B]); a += [A]; log(repr(a)); a.insert(1, C); log(repr(a)); del a[1:3]; log(repr(a))
log(repr(a.pop(0))); a[0] = C; log(repr(a)); log(repr(nn.ModuleList([A]) + [B])); log(list(a.state_dict()))
log(repr(nn.ModuleList([nn.Sequential(A), nn.Sequential(nn.Linear(2, 3)), B]))); log(repr(nn.ModuleList()))
log(repr(nn.ModuleList([None, A])))
""",
    "module dict": """
a = nn.ModuleDict({'b': A, 'a': B}); log(repr(a)); log(list(a)); log('a' in a); log(len(a))
a['c'] = C; a.update([('d', A), ('b', C)]); a.update(nn.ModuleDict({'e': B})); log(repr(a))
log(list(a.keys())); log([type(m).__name__ for m in a.values()]); log([k for k, _ in a.items()])
log(repr(a.pop('c'))); del a['d']; log(list(a.state_dict())); a.clear(); log(repr(a))
""",
    "parameter list": """
a = nn.ParameterList([T.ones(2), P, 3, 'word']); log(repr(a)); log(len(a)); log(list(a.state_dict())); log(a[0])
a[2] = Q; a.append(T.ones(1, 2)); a += [P]; log(repr(a)); log(repr(a[1:3])); log([type(v).__name__ for v in a])
log(repr(nn.ParameterList([P]))); log(repr(nn.ParameterList()))
""",
    "parameter dict": """
a = nn.ParameterDict({'b': P, 'a': T.ones(1), 'c': 3}); log(repr(a)); log(list(a)); log(list(reversed(a)))
log(repr(nn.ParameterDict(OrderedDict([('b', P), ('a', Q)]))))
a['d'] = Q; a.update({'e': P, 'a': Q}); log(list(a.keys())); log('e' in a); log(a.get('zz', 4)); log(a.get('c'))
log(a.pop('c')); log(a.popitem()[0]); del a['a']; log(list(a.state_dict())); log([type(v).__name__ for v in a.values()])
log(a.setdefault('b', Q) is P); log(a.setdefault('g', Q) is Q); log(repr(a | nn.ParameterDict({'z': P})))
log(repr(nn.ParameterDict().fromkeys(['x', 'y'], P))); log(repr(a.copy())); a |= nn.ParameterDict({'q': P})
log(list(a))
a.clear(); log(len(a)); log(repr(a))
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_containers_behave_alike(name):
    agree(lambda T: execute(SETTING + SCRIPTS[name], T))


@pytest.mark.parametrize("index", [-3, -1, 0, 1, 2, 5])
def test_insertion_into_a_list_of_modules(index):
    found = []
    for lib in (torch, torchlike):
        listed = lib.nn.ModuleList([lib.nn.ReLU(), lib.nn.ELU()])
        try:
            listed.insert(index, lib.nn.Tanh())
            found.append([(name, type(each).__name__) for name, each in listed.named_children()])
        except KeyError as error:
            found.append(str(error))
    assert found[0] == found[1]
