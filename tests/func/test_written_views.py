"""Writes through views reach the tensor, under each transformation."""

import pytest

import torchlike
from tests.oracle import both

# In each text, `d` is a new tensor that is computed from the argument `a`.
WRITES = {
    "as_strided": "d.as_strided((3,), (4,)).fill_(0.5)",
    "as_strided within a row": "d.as_strided((2,), (1,), 3).mul_(2)",
    "a view that is read after a write to its base": "v = d.as_strided((3,), (4,))\nd.mul_(3)\nd = v",
    "a view and its base": "v = d.as_strided((3,), (4,))\nv.mul_(3)\nd = torch.cat([d.flatten(), v])",
    "diagonal": "d.diagonal().fill_(0.5)",
    "diagonal from the argument": "d.diagonal().copy_(a[0])",
    "fill_diagonal_": "d.fill_diagonal_(0.5)",
    "fill_diagonal_ of a tall matrix": "d = torch.cat([d, d, d])\nd.fill_diagonal_(1, wrap=True)",
    "view": "d.view(-1)[::4].mul_(2)",
    "transpose": "d.t()[1].mul_(2)",
    "unfold": "d.unfold(0, 2, 1)[0].mul_(2)",
    "unbind, chunk, split": "d.unbind(0)[1].mul_(2)\nd.chunk(2, 1)[0].add_(1)\nd.split(2)[1].sub_(1)",
    "movedim, swapaxes": "d.movedim(0, 1)[0].mul_(3)\nd.swapaxes(0, 1)[1].add_(1)",
    "flatten, unflatten": "d.flatten()[3] = 7\nd.unflatten(1, (3, 1))[0, 0] = 9",
    "narrow, select, T": "d.narrow(0, 1, 1).zero_()\nd.select(1, 0).fill_(3)\nd.T[2].mul_(2)",
    "real, imag": "d = torch.complex(d, d)\nd.real.mul_(2)\nd.imag.zero_()\nd = torch.view_as_real(d)",
    "conj": "d = torch.complex(d, d)\nd.conj().mul_(1j)\nd = torch.view_as_real(d)",
    "diag_embed": "d = torch.diag_embed(d)\nd.diagonal(dim1=-2, dim2=-1).mul_(2)",
    "a diagonal that is returned": "v = d.diagonal()\nd.mul_(3)\nd = v",
    "lists of indices": "d[[0, 1], [1, 2]] = 9\nd[:, None, 0].add_(1)",
    "diagonal_scatter": "d = torch.diagonal_scatter(d, d.diagonal() * 2)",
    "as_strided_scatter": "d = torch.as_strided_scatter(d, d[0] * 2, (3,), (1,))",
    "slice_scatter": "d = torch.slice_scatter(d, d[:1] * 2, 0, 1, 2)",
}
FORMS = {
    "jvp": lambda torch, f, a: torch.func.jvp(f, (a,), (a.cos(),)),
    "jacfwd": lambda torch, f, a: torch.func.jacfwd(f)(a),
    "vmap": lambda torch, f, a: torch.func.vmap(f)(torch.stack([a, a + 1])),
    "grad": lambda torch, f, a: torch.func.grad(lambda x: f(x).square().sum())(a),
    "make_fx": lambda torch, f, a: torch.fx.experimental.proxy_tensor.make_fx(f)(a)(a + 1),
}


# PyTorch has no batching rules for these, and a wrong gradient of `as_strided_scatter`.
REFUSED = {("as_strided_scatter", form) for form in ("jacfwd", "vmap", "grad")}
REFUSED |= {(name, "vmap") for name in WRITES if name.startswith("fill_diagonal_")}
CASES = [(name, form) for name in WRITES for form in FORMS if (name, form) not in REFUSED]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "form"), CASES)
def test_the_tensor_has_the_written_elements(name, form):
    lines = "\n    ".join(["d = a * 1", *WRITES[name].split("\n"), "return d"])

    def program(torch):
        names = {"torch": torch}
        exec(f"def f(a):\n    {lines}", names)
        made = FORMS[form](torch, names["f"], torch.arange(9.0, dtype=torch.float64).reshape(3, 3))
        return [t.tolist() for t in (made if isinstance(made, tuple) else (made,))]

    both(program)


@pytest.mark.parametrize("name", ["as_strided", "fill_diagonal_", "unfold", "real, imag"])
def test_exported_programs_write_through_views(name):
    lines = "\n        ".join(["d = a * 1", *WRITES[name].split("\n"), "return d"])
    names = {"torch": torchlike}
    exec(f"class Writing(torch.nn.Module):\n    def forward(self, a):\n        {lines}", names)
    module, a = names["Writing"](), torchlike.arange(9.0).reshape(3, 3)
    exported = torchlike.export.export(module, (a,)).module()
    torchlike.testing.assert_close(exported(a + 1), module(a + 1), rtol=0, atol=0)


@pytest.mark.parametrize("write", [lambda t: t.detach().zero_(), lambda t: t.data.mul_(2)], ids=["detach", "data"])
def test_a_write_that_would_keep_the_tangent_is_refused(write):
    def f(a):
        d = a * 1
        write(d)
        return d

    with pytest.raises(NotImplementedError, match="in-place operations on a detached view"):
        torchlike.func.jvp(f, (torchlike.ones(2),), (torchlike.ones(2),))
