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
