"""Return values, names and warnings of functions that PyTorch's documents show in examples."""

import pytest

from tests.oracle import both


def test_names_of_types():
    def program(torch):
        things = [
            torch.nn.Parameter,
            torch.nn.Buffer,
            torch.nn.Linear,
            torch.nn.Linear(1, 1),
            torch.optim.SGD,
            torch.Size,
        ]
        names = [torch.typename(thing) for thing in (*things, torch.Tensor)]
        plain = [torch.typename(thing) for thing in (int, 3, "", None, len, [1], torch.ones(1), torch.FloatTensor)]
        return [name.replace("torchlike.", "torch.") for name in names], plain

    both(program)


def test_set_state_returns_the_generator():
    def program(torch):
        generator = torch.Generator().manual_seed(3)
        same = generator.set_state(torch.Generator().manual_seed(4).get_state()) is generator
        return same, torch.rand(3, generator=generator)

    both(program)


def test_the_warning_of_index_reduce():
    def program(torch):
        torch.set_warn_always(True)
        try:
            return torch.zeros(3).index_reduce_(0, torch.tensor([0, 2]), torch.ones(2), "amax")
        finally:
            torch.set_warn_always(False)

    with pytest.warns(UserWarning, match="index_reduce\\(\\) is in beta"):
        both(program)


RETURNED = {
    "the leaf": lambda torch, p: p,
    "its data": lambda torch, p: p.data,
    "a tensor like it": lambda torch, p: torch.ones(3),
    "another size": lambda torch, p: torch.ones(2),
    "another dtype": lambda torch, p: torch.ones(3, dtype=torch.float64),
    "a number": lambda torch, p: 3,
}


@pytest.mark.parametrize("returned", RETURNED)
def test_values_that_hooks_after_accumulation_return(returned):
    def program(torch):
        leaf = torch.zeros(3, requires_grad=True)
        leaf.register_post_accumulate_grad_hook(lambda p: RETURNED[returned](torch, p))
        leaf.sum().backward()
        return leaf, leaf.grad

    both(program)


@pytest.mark.parametrize("given", [{"factor": 3.0}, {}], ids=str)
def test_keyword_only_arguments_of_custom_operators(given):
    def program(torch):
        def scaled(x, *, factor=2.0):
            return x * factor

        name = f"documented::scaled_{len(given)}"
        scaled.__annotations__ = {"x": torch.Tensor, "factor": float, "return": torch.Tensor}
        operator = torch.library.custom_op(name, scaled, mutates_args=())

        def setup_context(ctx, inputs, keyword_only_inputs, output):
            ctx.factor = keyword_only_inputs["factor"]

        torch.library.register_autograd(name, lambda ctx, grad: grad * ctx.factor, setup_context=setup_context)
        x = torch.ones(3, requires_grad=True)
        made = operator(x, **given)
        made.sum().backward()
        return made.detach(), x.grad

    both(program)
