"""`asarray` keeps `requires_grad` of a tensor, with a warning, unless it is given."""

import pytest

from tests.oracle import both

SOURCES = {
    "plain": lambda torch: torch.tensor([1.0, 2.0]),
    "leaf": lambda torch: torch.tensor([1.0, 2.0], requires_grad=True),
    "computed": lambda torch: torch.tensor([1.0, 2.0], requires_grad=True) * 2,
}
OPTIONS = [{}, {"copy": True}, {"copy": False}, {"dtype": "float64"}, {"dtype": "int64"}]


@pytest.mark.filterwarnings("ignore:torch.asarray")
@pytest.mark.parametrize("requires_grad", ["absent", None, False, True], ids=str)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("source", SOURCES)
def test_requires_grad(source, options, requires_grad):
    def program(torch):
        x = SOURCES[source](torch)
        given = {k: getattr(torch, v) if k == "dtype" else v for k, v in options.items()}
        if requires_grad != "absent":
            given["requires_grad"] = requires_grad
        made = torch.asarray(x, **given)
        shares = made.data_ptr() == x.data_ptr()
        return made, made is x, made.is_leaf, type(made.grad_fn).__name__, shares, x.requires_grad

    both(program)


def test_the_warning():
    def program(torch):
        torch.set_warn_always(True)
        try:
            return torch.asarray(torch.ones(2, requires_grad=True))
        finally:
            torch.set_warn_always(False)

    with pytest.warns(UserWarning, match="unspecified requires_grad now defaults"):
        both(program)
