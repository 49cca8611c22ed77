"""Pieces of programs: numbers, containers, buffers and tensors."""

from tests.fuzz_state.piece import Piece

Piece(
    "number",
    "p@ = #",
    reads=("p@",),
    changes=("p@ = #", "p@ = int(#)", "p@ = -0.0", "p@ = True"),
    effects=("p@ = p@ + 1.0",),
    shows=("p@",),
)
Piece(
    "flag",
    "p@ = True",
    reads=("2.0 if p@ else 3.0", "2.0 if p@ is True else 3.0"),
    changes=("p@ = False", "p@ = 1", "p@ = 0"),
    effects=("p@ = not p@",),
    shows=("p@",),
)
Piece(
    "string",
    "p@ = 'ab'",
    reads=("len(p@)", "2.0 if p@ == 'ab' else 3.0", "float(f'{len(p@)}.5')"),
    changes=("p@ = 'abc'", "p@ = b'ab'", "p@ = 'a' + 'b'"),
    effects=("p@ = p@ + p@[:1]",),
    shows=("p@",),
)
Piece(
    "list",
    "p@ = [#, #]",
    reads=("p@[0]", "sum(p@)", "len(p@)", "max(p@)", "[2 * v for v in p@][-1]"),
    changes=(
        "p@[0] = #",
        "p@.append(#)",
        "p@.reverse()",
        "p@ = [#, #, #]",
        "p@.sort()",
        "p@ *= 2",
        "p@[0] = int(p@[0])",
    ),
    effects=("p@.append(1.0)", "p@[0] += 1.0", "p@.reverse()", "p@[:] = p@[1:] + p@[:1]"),
    shows=("p@",),
)
Piece(
    "tuple",
    "p@ = (#, [#], {'a': #})",
    reads=("p@[0]", "p@[1][0]", "p@[2]['a']"),
    changes=("p@ = (#, [#], {'a': #})", "p@[1][0] = #", "p@[2]['a'] = #", "p@ = (p@[0], *p@[1:])"),
    effects=("p@[1].append(1.0)", "p@[2]['a'] += 1.0"),
    shows=("p@",),
)
Piece(
    "nested",
    "p@ = {'a': [#, {'b': #}], 'c': (#, [#])}",
    reads=("p@['a'][1]['b']", "p@['c'][1][0]", "len(p@['a'])"),
    changes=("p@['a'][1]['b'] = #", "p@['c'][1][0] = #", "p@['a'] = [#, {'b': #}]", "p@['a'][1] = dict(p@['a'][1])"),
    effects=("p@['a'][1]['b'] += 1.0", "p@['c'][1].append(1.0)", "p@['a'][1]['new'] = 1.0"),
    shows=("p@",),
)
Piece(
    "dictionary",
    "p@ = {'a': #, 'b': #}",
    reads=("[*p@.values()][-1]", "p@.get('z', 2.0)", "('z' in p@) + 1.0", "sum(p@.values())", "len([*p@][0])"),
    changes=("p@['a'] = p@.pop('a')", "p@['z'] = #", "p@.update(a=#)", "p@.clear(); p@['a'] = #", "p@ = dict(p@)"),
    effects=("p@['n'] = p@.get('n', 0.0) + 1.0", "p@.setdefault('m', 5.0)", "p@['a'] = p@.pop('a')"),
    shows=("p@",),
)
Piece(
    "keys of many types",
    "p@ = {1: #, 'a': #, (1, 2): #, None: #}",
    reads=("p@[1]", "p@[(1, 2)]", "p@[None]"),
    changes=("p@[1] = #", "p@[True] = #", "p@[(1, 2)] = #", "p@[1.0] = #"),
    effects=("p@[2] = 1.0", "p@[None] += 1"),
    shows=("p@",),
)
Piece(
    "set",
    "p@ = {1, 2, 3}",
    reads=("sum(p@)", "(5 in p@) + 1.0", "len(p@)"),
    changes=("p@.add(5)", "p@.discard(1)", "p@ = {3, 2, 1}", "p@ ^= {2, 7}"),
    effects=("p@.add(9)", "p@.discard(3)"),
    shows=("sorted(p@)",),
)
Piece(
    "deque",
    "p@ = collections.deque([#, #, #], maxlen=4)",
    reads=("p@[0]", "sum(p@)"),
    changes=("p@.rotate(1)", "p@.append(#)", "p@.popleft()", "p@.extend([#, #])"),
    effects=("p@.append(1.0)", "p@.rotate(1)"),
    shows=("list(p@)",),
)
Piece(
    "ordered dictionary",
    "p@ = collections.OrderedDict(a=#, b=#)",
    reads=("[*p@.values()][0]", "[*p@.items()][1][1]"),
    changes=("p@.move_to_end('a')", "p@['a'] = #"),
    effects=("p@.move_to_end('b')", "p@['a'] += 1.0"),
    shows=("list(p@.items())",),
)
Piece(
    "default dictionary",
    "p@ = collections.defaultdict(lambda: 2.0, a=#)",
    reads=("p@['a']", "p@['k']", "len(p@)"),
    changes=("p@['k'] = #", "p@.pop('k', None)", "p@.default_factory = lambda: 3.0"),
    effects=("p@['new'] += 1.0",),
    shows=("dict(p@)",),
)
Piece(
    "counter",
    "p@ = collections.Counter('aab')",
    reads=("p@['a']", "p@['z'] + 1", "p@.most_common(1)[0][1]"),
    changes=("p@.update('zz')", "p@.subtract('a')"),
    effects=("p@.update('b')", "p@['c'] += 1"),
    shows=("dict(p@)",),
)
Piece(
    "chain of dictionaries",
    """
    q@ = {'b': #}
    p@ = collections.ChainMap({'a': #}, q@)
    """,
    reads=("p@['a']", "p@['b']"),
    changes=("q@['b'] = #", "p@['b'] = #", "p@.maps.append({})"),
    effects=("p@['n'] = 1.0", "q@['b'] += 1.0"),
    shows=("dict(p@)", "q@"),
)
Piece(
    "view of a dictionary",
    """
    q@ = {'a': #, 'b': #}
    p@ = q@.values()
    """,
    reads=("sum(p@)", "len(p@)"),
    changes=("q@['a'] = #", "q@['z'] = #"),
    effects=("q@['b'] += 1.0",),
    shows=("q@",),
)
Piece(
    "dictionary shown read-only",
    """
    q@ = {'a': #}
    p@ = types.MappingProxyType(q@)
    """,
    reads=("p@['a']", "len(p@)"),
    changes=("q@['a'] = #", "q@['z'] = #"),
    effects=("q@['a'] += 1.0",),
    shows=("q@",),
)
Piece(
    "array",
    "p@ = array.array('d', [#, #])",
    reads=("p@[0]", "len(p@)", "sum(p@)"),
    changes=("p@[0] = #", "p@.append(#)", "p@.reverse()"),
    effects=("p@[0] += 1.0", "p@.append(1.0)"),
    shows=("list(p@)",),
)
Piece(
    "bytes that change",
    "p@ = bytearray([1, 2, 3])",
    reads=("p@[1]", "len(p@)", "sum(p@)"),
    changes=("p@[1] = 7", "p@.append(5)", "p@.reverse()"),
    effects=("p@[0] += 1", "p@.append(1)"),
    shows=("list(p@)",),
)
Piece(
    "view of memory",
    """
    q@ = bytearray([1, 2, 3, 4])
    p@ = memoryview(q@)[1:3]
    """,
    reads=("p@[1]", "sum(p@)"),
    changes=("q@[2] = 7", "p@[0] = 9", "q@[0] = 5"),
    effects=("p@[0] += 1", "q@[1] += 1"),
    shows=("list(p@)",),
)
Piece(
    "NumPy array",
    "p@ = np.array([#, #])",
    reads=("p@[0]", "p@.sum()", "float(p@.shape[0])"),
    changes=("p@[0] = #", "p@ += 1", "p@[::-1].sort()", "p@ = np.array([#, #, #])"),
    effects=("p@[0] += 1.0", "p@ *= 2.0"),
    shows=("p@.tolist()",),
)
Piece(
    "NumPy array of objects",
    """
    q@ = [#]
    p@ = np.array([q@, None], dtype=object)
    """,
    reads=("p@[0][0]",),
    changes=("q@[0] = #", "p@[0] = [#]"),
    effects=("q@[0] += 1.0",),
    shows=("q@", "p@.tolist()"),
)
Piece(
    "slice",
    """
    p@ = slice(0, 2)
    q@ = [#, #, #]
    """,
    reads=("sum(q@[p@])",),
    changes=("p@ = slice(1, 3)", "q@[1] = #"),
    shows=("q@",),
)
Piece(
    "string builder",
    "p@ = io.StringIO('ab')",
    reads=("len(p@.getvalue())",),
    changes=("p@.write('abc')",),
    effects=("p@.write('abc')",),
    shows=("p@.getvalue()",),
)

# -- tensors -----------------------------------------------------------------------------------------------------------

Piece(
    "tensor",
    "p@ = torch.full((2,), #)",
    reads=("len(p@)", "p@.dim() + 1.0", "2.0 if p@.grad is None else 3.0", "p@.stride()[0] + 1.0"),
    changes=(
        "p@.fill_(#)",
        "p@ = torch.full((2,), #)",
        "p@ += 1",
        "p@.data.mul_(2)",
        "p@.resize_(1)",
        "p@.unsqueeze_(0)",
        "p@.data = torch.full((1,), #)",
        "p@.grad = torch.ones_like(p@)",
        "p@.requires_grad_()",
        "p@[0] = #",
    ),
    effects=("p@.add_(1.0)", "p@.mul_(2.0)", "p@.grad = y.detach()"),
    shows=("p@", "p@.grad"),
    lines=("y = y * p@", "y = y + p@.detach()", "y = y * p@[0]"),
)
Piece(
    "tensor in a container",
    "p@ = {'w': torch.full((2,), #), 'l': [torch.full((2,), #)]}",
    reads=("len(p@['l'])",),
    changes=(
        "p@['w'].fill_(#)",
        "p@['w'] = torch.full((2,), #)",
        "p@['l'].append(torch.ones(2))",
        "p@['l'][0] = p@['w']",
    ),
    effects=("p@['w'] += 1.0", "p@['w'] = p@['w'] + 1.0", "p@['l'].append(y)"),
    shows=("p@",),
    lines=("y = y * p@['w']", "y = y + p@['l'][-1]"),
)
Piece(
    "zero-dim tensor",
    "p@ = torch.tensor(#)",
    changes=("p@.fill_(#)", "p@ = torch.tensor(#)", "p@ = torch.tensor(3)"),
    effects=("p@.add_(1.0)",),
    shows=("p@",),
    lines=(
        "y = torch.add(y, x, alpha=p@)",
        "y = torch.addcmul(y, x, x, value=p@)",
        "y = y.clone().fill_(p@)",
        "y = y * p@",
        "y = torch.sub(y, x, alpha=p@)",
        "y = torch.clamp(y, max=p@ * 9)",
    ),
)
Piece(
    "attribute of a tensor",
    """
    p@ = torch.ones(2)
    p@.k = #
    """,
    reads=("p@.k",),
    changes=("p@.k = #", "p@.j = #"),
    effects=("p@.k += 1.0",),
    shows=("p@.k",),
    lines=("y = y * p@",),
)
Piece(
    "random tensors",
    """
    torch.manual_seed(3)
    p@ = torch.Generator()
    """,
    changes=("torch.manual_seed(4)", "torch.rand(1)"),
    effects=("torch.rand(2)",),
    shows=("torch.get_rng_state().sum().item()",),
    lines=("y = y + torch.rand(2)",),
)
Piece(
    "default dtype",
    "p@ = 1.5",
    changes=("torch.set_default_dtype(torch.float64)", "torch.set_default_dtype(torch.float32)"),
    shows=("str(torch.get_default_dtype())",),
    lines=("y = y + torch.tensor(p@)",),
    undo="torch.set_default_dtype(torch.float32)",
)
Piece(
    "grad mode",
    "p@ = torch.ones(2, requires_grad=True)",
    reads=("1.0 + torch.is_grad_enabled()",),
    changes=("torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)", "p@.requires_grad_(False)"),
    shows=("torch.is_grad_enabled()",),
    lines=("y = y * p@",),
    undo="torch.set_grad_enabled(True)",
)
