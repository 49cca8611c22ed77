"""Cross entropy of a linear layer, computed for one chunk of the batch at a time."""

import pytest

from tests.oracle import both

OPTIONS = ["", "batch_chunk_size=3", "chunking_method='aspect_ratio:4'", "acc_dtype=torch.float32"]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_parts_give_what_the_whole_gives(options, reduction):
    def program(torch):
        x, w = (torch.randn(n, 4, requires_grad=True) for n in (7, 6))
        target, weight = torch.tensor([0, 1, 5, 9, 2, 3, 9]), torch.rand(6)
        made = eval(f"torch.nn.LinearCrossEntropyOptions({options})")
        loss = torch.nn.functional.linear_cross_entropy(
            x, w, target, weight=weight, ignore_index=9, reduction=reduction, options=made
        )
        loss.sum().backward()
        return loss.detach(), x.grad, w.grad

    both(program)


@pytest.mark.parametrize("options", ["acc_policy='x'", "chunking_method='x'", "batch_chunk_size=0"])
def test_options_are_checked(options):
    both(lambda torch: eval(f"torch.nn.LinearCrossEntropyOptions({options})"))


def test_a_number_of_rows_beside_a_method_must_be_its_own():
    def program(torch):
        options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=3, chunking_method="aspect_ratio:2")
        x, w, target = torch.ones(7, 4), torch.ones(6, 4), torch.zeros(7, dtype=torch.int64)
        return torch.nn.functional.linear_cross_entropy(x, w, target, options=options)

    both(program)


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "bias=True, weight=torch.tensor([0.5, 1.0, 2.0])",
        "out_features=(2,), bias=True",
        "ignore_index=1, reduction='none'",
        "label_smoothing=0.1, reduction='sum', dtype=torch.float64",
        "options=torch.nn.LinearCrossEntropyOptions(batch_chunk_size=2)",
    ],
)
def test_the_layer_holds_the_linear_layer(arguments):
    def program(torch):
        torch.manual_seed(0)
        loss = eval(f"torch.nn.LinearCrossEntropyLoss(4, 3, {arguments})")
        x = torch.arange(20, dtype=loss.linear.weight.dtype).reshape(5, 4).requires_grad_()
        value = loss(x, torch.arange(5 * (2 if loss.out_features else 1)).reshape(5, *loss.out_features) % 3)
        value.sum().backward()
        return repr(loss), list(loss.state_dict()), value.detach(), x.grad, [p.grad for p in loss.parameters()]

    both(program)


@pytest.mark.parametrize("arguments", ["weight=torch.ones(4)", "label_smoothing=1.5", "reduction='sum', bias=1"])
def test_the_layer_checks_its_arguments(arguments):
    both(lambda torch: repr(eval(f"torch.nn.LinearCrossEntropyLoss(4, 3, {arguments})")))
