"""Pieces: numbers, containers, buffers, tensors."""

from tests.fuzz_state.piece import Piece

Piece("number", "p@ = #", ("p@",), ("p@ = #", "p@ = int(#)", "p@ = -0.0", "p@ = True"), ("p@ = p@ + 1.0",), ("p@",))  # fmt: skip
Piece("flag", "p@ = True", ("2.0 if p@ else 3.0", "2.0 if p@ is True else 3.0"), ("p@ = False", "p@ = 1", "p@ = 0"),
      ("p@ = not p@",), ("p@",))  # fmt: skip
Piece("string", "p@ = 'ab'", ("len(p@)", "2.0 if p@ == 'ab' else 3.0", "float(f'{len(p@)}.5')"),
      ("p@ = 'abc'", "p@ = b'ab'", "p@ = 'a' + 'b'"), ("p@ = p@ + p@[:1]",), ("p@",))  # fmt: skip
Piece("list", "p@ = [#, #]", ("p@[0]", "sum(p@)", "len(p@)", "max(p@)", "[2 * v for v in p@][-1]"),
      ("p@[0] = #", "p@.append(#)", "p@.reverse()", "p@ = [#, #, #]", "p@.sort()", "p@ *= 2", "p@[0] = int(p@[0])"),
      ("p@.append(1.0)", "p@[0] += 1.0", "p@.reverse()", "p@[:] = p@[1:] + p@[:1]"), ("p@",))  # fmt: skip
Piece("tuple", "p@ = (#, [#], {'a': #})", ("p@[0]", "p@[1][0]", "p@[2]['a']"),
      ("p@ = (#, [#], {'a': #})", "p@[1][0] = #", "p@[2]['a'] = #", "p@ = (p@[0], *p@[1:])"),
      ("p@[1].append(1.0)", "p@[2]['a'] += 1.0"), ("p@",))  # fmt: skip
Piece("nested", "p@ = {'a': [#, {'b': #}], 'c': (#, [#])}", ("p@['a'][1]['b']", "p@['c'][1][0]", "len(p@['a'])"),
      ("p@['a'][1]['b'] = #", "p@['c'][1][0] = #", "p@['a'] = [#, {'b': #}]", "p@['a'][1] = dict(p@['a'][1])"),
      ("p@['a'][1]['b'] += 1.0", "p@['c'][1].append(1.0)", "p@['a'][1]['new'] = 1.0"), ("p@",))  # fmt: skip
Piece("dictionary", "p@ = {'a': #, 'b': #}",
      ("[*p@.values()][-1]", "p@.get('z', 2.0)", "('z' in p@) + 1.0", "sum(p@.values())", "len([*p@][0])"),
      ("p@['a'] = p@.pop('a')", "p@['z'] = #", "p@.update(a=#)", "p@.clear(); p@['a'] = #", "p@ = dict(p@)"),
      ("p@['n'] = p@.get('n', 0.0) + 1.0", "p@.setdefault('m', 5.0)", "p@['a'] = p@.pop('a')"), ("p@",))  # fmt: skip
Piece("keys of many types", "p@ = {1: #, 'a': #, (1, 2): #, None: #}", ("p@[1]", "p@[(1, 2)]", "p@[None]"),
      ("p@[1] = #", "p@[True] = #", "p@[(1, 2)] = #", "p@[1.0] = #"), ("p@[2] = 1.0", "p@[None] += 1"),
      ("p@",))  # fmt: skip
Piece("set", "p@ = {1, 2, 3}", ("sum(p@)", "(5 in p@) + 1.0", "len(p@)"),
      ("p@.add(5)", "p@.discard(1)", "p@ = {3, 2, 1}", "p@ ^= {2, 7}"), ("p@.add(9)", "p@.discard(3)"),
      ("sorted(p@)",))  # fmt: skip
Piece("deque", "p@ = collections.deque([#, #, #], maxlen=4)", ("p@[0]", "sum(p@)"),
      ("p@.rotate(1)", "p@.append(#)", "p@.popleft()", "p@.extend([#, #])"), ("p@.append(1.0)", "p@.rotate(1)"),
      ("list(p@)",))  # fmt: skip
Piece("ordered dictionary", "p@ = collections.OrderedDict(a=#, b=#)", ("[*p@.values()][0]", "[*p@.items()][1][1]"),
      ("p@.move_to_end('a')", "p@['a'] = #"), ("p@.move_to_end('b')", "p@['a'] += 1.0"), ("list(p@.items())",))  # fmt: skip
Piece("default dictionary", "p@ = collections.defaultdict(lambda: 2.0, a=#)", ("p@['a']", "p@['k']", "len(p@)"),
      ("p@['k'] = #", "p@.pop('k', None)", "p@.default_factory = lambda: 3.0"), ("p@['new'] += 1.0",),
      ("dict(p@)",))  # fmt: skip
Piece("counter", "p@ = collections.Counter('aab')", ("p@['a']", "p@['z'] + 1", "p@.most_common(1)[0][1]"),
      ("p@.update('zz')", "p@.subtract('a')"), ("p@.update('b')", "p@['c'] += 1"), ("dict(p@)",))  # fmt: skip
Piece("chain of dictionaries", "q@ = {'b': #}\np@ = collections.ChainMap({'a': #}, q@)", ("p@['a']", "p@['b']"),
      ("q@['b'] = #", "p@['b'] = #", "p@.maps.append({})"), ("p@['n'] = 1.0", "q@['b'] += 1.0"),
      ("dict(p@)", "q@"))  # fmt: skip
Piece("view of a dictionary", "q@ = {'a': #, 'b': #}\np@ = q@.values()", ("sum(p@)", "len(p@)"),
      ("q@['a'] = #", "q@['z'] = #"), ("q@['b'] += 1.0",), ("q@",))  # fmt: skip
Piece("dictionary shown read-only", "q@ = {'a': #}\np@ = types.MappingProxyType(q@)", ("p@['a']", "len(p@)"),
      ("q@['a'] = #", "q@['z'] = #"), ("q@['a'] += 1.0",), ("q@",))  # fmt: skip
Piece("array", "p@ = array.array('d', [#, #])", ("p@[0]", "len(p@)", "sum(p@)"),
      ("p@[0] = #", "p@.append(#)", "p@.reverse()"), ("p@[0] += 1.0", "p@.append(1.0)"), ("list(p@)",))  # fmt: skip
Piece("bytes that change", "p@ = bytearray([1, 2, 3])", ("p@[1]", "len(p@)", "sum(p@)"),
      ("p@[1] = 7", "p@.append(5)", "p@.reverse()"), ("p@[0] += 1", "p@.append(1)"), ("list(p@)",))  # fmt: skip
Piece("view of memory", "q@ = bytearray([1, 2, 3, 4])\np@ = memoryview(q@)[1:3]", ("p@[1]", "sum(p@)"),
      ("q@[2] = 7", "p@[0] = 9", "q@[0] = 5"), ("p@[0] += 1", "q@[1] += 1"), ("list(p@)",))  # fmt: skip
Piece("NumPy array", "p@ = np.array([#, #])", ("p@[0]", "p@.sum()", "float(p@.shape[0])"),
      ("p@[0] = #", "p@ += 1", "p@[::-1].sort()", "p@ = np.array([#, #, #])"), ("p@[0] += 1.0", "p@ *= 2.0"),
      ("p@.tolist()",))  # fmt: skip
Piece("NumPy array of objects", "q@ = [#]\np@ = np.array([q@, None], dtype=object)", ("p@[0][0]",),
      ("q@[0] = #", "p@[0] = [#]"), ("q@[0] += 1.0",), ("q@", "p@.tolist()"))  # fmt: skip
Piece("slice", "p@ = slice(0, 2)\nq@ = [#, #, #]", ("sum(q@[p@])",), ("p@ = slice(1, 3)", "q@[1] = #"), (),
      ("q@",))  # fmt: skip
Piece("string builder", "p@ = io.StringIO('ab')", ("len(p@.getvalue())",), ("p@.write('abc')",), ("p@.write('abc')",),
      ("p@.getvalue()",))  # fmt: skip

# -- tensors -----------------------------------------------------------------------------------------------------------

Piece("tensor", "p@ = torch.full((2,), #)", (), ("p@.fill_(#)", "p@ = torch.full((2,), #)", "p@ += 1", "p@.data.mul_(2)"),
      ("p@.add_(1.0)", "p@.mul_(2.0)"), ("p@",), lines=("y = y * p@", "y = y + p@.detach()"))  # fmt: skip
Piece("tensor in a container", "p@ = {'w': torch.full((2,), #), 'l': [torch.full((2,), #)]}", ("len(p@['l'])",),
      ("p@['w'].fill_(#)", "p@['w'] = torch.full((2,), #)", "p@['l'].append(torch.ones(2))", "p@['l'][0] = p@['w']"),
      ("p@['w'] += 1.0", "p@['w'] = p@['w'] + 1.0", "p@['l'].append(y)"), ("p@",),
      lines=("y = y * p@['w']", "y = y + p@['l'][-1]"))  # fmt: skip
Piece("zero-dim tensor", "p@ = torch.tensor(#)", (), ("p@.fill_(#)", "p@ = torch.tensor(#)", "p@ = torch.tensor(3)"),
      ("p@.add_(1.0)",), ("p@",),
      lines=("y = torch.add(y, x, alpha=p@)", "y = torch.addcmul(y, x, x, value=p@)", "y = y.clone().fill_(p@)",
             "y = y * p@", "y = torch.sub(y, x, alpha=p@)", "y = torch.clamp(y, max=p@ * 9)"))  # fmt: skip
Piece("attribute of a tensor", "p@ = torch.ones(2)\np@.k = #", ("p@.k",), ("p@.k = #", "p@.j = #"), ("p@.k += 1.0",),
      ("p@.k",), lines=("y = y * p@",))  # fmt: skip
Piece("random tensors", "torch.manual_seed(3)\np@ = torch.Generator()", (), ("torch.manual_seed(4)", "torch.rand(1)"),
      ("torch.rand(2)",), ("torch.get_rng_state().sum().item()",), lines=("y = y + torch.rand(2)",))  # fmt: skip
Piece("default dtype", "p@ = 1.5", (), ("torch.set_default_dtype(torch.float64)",
      "torch.set_default_dtype(torch.float32)"), (), ("str(torch.get_default_dtype())",),
      undo="torch.set_default_dtype(torch.float32)", lines=("y = y + torch.tensor(p@)",))  # fmt: skip
Piece("grad mode", "p@ = torch.ones(2, requires_grad=True)", ("1.0 + torch.is_grad_enabled()",),
      ("torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)", "p@.requires_grad_(False)"), (),
      ("torch.is_grad_enabled()",), undo="torch.set_grad_enabled(True)", lines=("y = y * p@",))  # fmt: skip
