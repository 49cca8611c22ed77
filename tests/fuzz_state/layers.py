"""Pieces of random programs with modules and module hooks."""

from tests.fuzz_state.piece import Piece

Piece(
    "module",
    """
    class M@(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.k = #
            self.register_buffer('b', torch.full((2,), #))
            self.l = [#]
        def forward(self, x):
            return x * self.k + (self.b if self.training else self.l[0])
    p@ = M@()
    """,
    reads=("p@.k", "1.0 + p@.training"),
    changes=(
        "p@.k = #",
        "p@.eval()",
        "p@.train()",
        "p@.b.fill_(#)",
        "p@.b = torch.full((2,), #)",
        "p@.l[0] = #",
        "p@ = M@()",
        "M@.forward = lambda s, x: x * #",
        "p@.forward = lambda x: x + #",
        "p@.double(); p@.float()",
    ),
    effects=("p@.k += 1.0", "p@.b.add_(1.0)", "p@.b = p@.b + 1.0", "p@.l.append(1.0)", "p@.eval()"),
    shows=("p@.k", "p@.b", "p@.l", "p@.training"),
    lines=("y = p@(y)",),
)
Piece(
    "hooks of a module",
    """
    p@ = torch.nn.Identity()
    q@ = [#]
    """,
    reads=("len(q@)",),
    changes=(
        "h@ = p@.register_forward_hook(lambda m, a, r: r * q@[0])",
        "p@._forward_hooks.clear()",
        "q@[0] = #",
        "p@.register_forward_pre_hook(lambda m, a: (a[0] + q@[0],))",
        "p@.register_forward_hook(lambda m, a, r: q@.append(1.0))",
    ),
    shows=("q@",),
    lines=("y = p@(y)",),
)
Piece(
    "global hooks",
    """
    p@ = torch.nn.Identity()
    q@ = [#]
    H@ = torch.nn.modules.module
    hs@ = []
    """,
    reads=("len(q@)",),
    changes=(
        "hs@.append(H@.register_module_forward_hook(lambda m, a, r: r * q@[0]))",
        "[h.remove() for h in hs@]",
        "q@[0] = #",
        "hs@.append(H@.register_module_forward_pre_hook(lambda m, a: (a[0] + q@[0],)))",
        "hs@.append(H@.register_module_forward_hook(lambda m, a, r: q@.append(1.0)))",
    ),
    shows=("q@",),
    lines=("y = p@(y)",),
    undo="[h.remove() for h in hs@]",
)
Piece(
    "list of modules",
    """
    p@ = torch.nn.ModuleList([torch.nn.Identity()])
    class S@(torch.nn.Module):
        def forward(self, x):
            return x * #
    """,
    reads=("len(p@)",),
    changes=("p@.append(S@())", "p@[0] = S@()", "p@._modules.clear()"),
    effects=("p@.append(S@())",),
    shows=("len(p@)",),
    lines=("for m in p@:\n    y = m(y)",),
)
