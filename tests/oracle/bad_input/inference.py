"""Inference mode: operations refused for inference tensors, and for other tensors inside the mode."""

from tests.oracle.bad_input._programs import leaf
from tests.oracle.bad_input._programs import made_in_inference_mode as made


def view_of_a_result_written_after(torch):
    result = leaf(torch, 2) * 2
    with torch.inference_mode():
        view = result[0]
    view.mul_(2)


def result_written_after_a_view(torch):
    result = leaf(torch, 2) * 2
    with torch.inference_mode():
        view = result[0]
    result.mul_(2)
    return view.add(1).grad_fn


def result_made_within_differentiated(torch):
    x = leaf(torch, 2)
    with torch.inference_mode():
        y = (x * 2).sum()
    y.backward()


def backward_within(torch):
    with torch.inference_mode():
        leaf(torch, 2).sum().backward()


def grad_made_within_accumulated(torch):
    x = leaf(torch, 2)
    x.grad = made(torch, 2)
    x.sum().backward()
    x.sum().backward()


def saved_by_a_function(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(y)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0], None

    Double.apply(leaf(torch, 2), made(torch, 2)).sum().backward()


ROWS = {
    "version": lambda torch: made(torch, 2)._version,
    "in place": lambda torch: made(torch, 2).add_(1),
    "in place by an operator": lambda torch: made(torch, 2).__iadd__(1),
    "in place on a view": lambda torch: made(torch, 2)[0].add_(1),
    "item assignment": lambda torch: made(torch, 2).__setitem__(0, 1.0),
    "copy_": lambda torch: made(torch, 2).copy_(torch.ones(2)),
    "drawn": lambda torch: made(torch, 2).normal_(),
    "filled": lambda torch: made(torch, 2).zero_(),
    "turned": lambda torch: made(torch, 2, 3).t_(),
    "resized": lambda torch: made(torch, 2).resize_(3),
    "set_": lambda torch: made(torch, 2).set_(torch.ones(3)),
    "result": lambda torch: torch.add(torch.ones(2), 1, out=made(torch, 2)),
    "requires_grad_": lambda torch: made(torch, 2).requires_grad_(),
    "requires_grad": lambda torch: setattr(made(torch, 2), "requires_grad", True),
    "saved from the right": lambda torch: leaf(torch, 2) * made(torch, 2),
    "saved from the left": lambda torch: made(torch, 2) * leaf(torch, 2),
    "saved by a product": lambda torch: leaf(torch, 2, 2) @ made(torch, 2, 2),
    "saved by a layer": lambda torch: torch.nn.Linear(2, 2)(made(torch, 2)),
    "saved by a convolution": lambda torch: torch.nn.Conv1d(1, 1, 1)(made(torch, 1, 1, 2)),
    "saved by a loss": lambda torch: torch.nn.functional.mse_loss(leaf(torch, 2), made(torch, 2)),
    "saved by a power": lambda torch: leaf(torch, 2) ** made(torch, 2),
    "copied into what requires grad": lambda torch: (leaf(torch, 2) * 2).mul_(made(torch, 2)),
    "retain_grad": lambda torch: made(torch, 2).retain_grad(),
    "hook": lambda torch: made(torch, 2).register_hook(print),
    "backward": lambda torch: made(torch, 2).sum().backward(),
}
