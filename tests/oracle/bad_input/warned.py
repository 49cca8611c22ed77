"""Programs for which PyTorch warns. They run, and the warnings and results must be the same."""

import math

import numpy as np

from tests.oracle.bad_input._programs import leaf


def grad_of_a_result(torch):
    return (leaf(torch, 2) * 2).grad


def create_graph(torch):
    leaf(torch, 2).sum().backward(create_graph=True)


def only_inputs(torch):
    x = leaf(torch, 2)
    torch.autograd.grad(x.sum(), x, only_inputs=False)


def grad_variables(torch):
    x = leaf(torch, 2)
    torch.autograd.backward(x * 2, grad_variables=torch.ones(2))
    return x.grad


def anomaly_detection(torch):
    with torch.autograd.detect_anomaly():
        pass


def function_made(torch):
    torch.autograd.Function()


def dirty_no_input(torch):
    class Mine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.mark_dirty(y)
            return y

    Mine.apply(leaf(torch, 2))


def not_writable(torch):
    array = np.ones(2)
    array.flags.writeable = False
    return torch.from_numpy(array)


def _sgd(torch):
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1)


def scheduler_before_optimizer(torch):
    torch.optim.lr_scheduler.StepLR(_sgd(torch), 1).step()


def scheduler_with_an_epoch(torch):
    optimizer = _sgd(torch)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.step()
    scheduler.step(3)


def scheduler_asked_within(torch):
    return torch.optim.lr_scheduler.StepLR(_sgd(torch), 1).get_lr()


def parameter_given_twice(torch):
    parameter = torch.nn.Parameter(torch.ones(2))
    torch.optim.SGD([parameter, parameter], lr=0.1)


def _checkpoint(torch, *args, **kwargs):
    return torch.utils.checkpoint.checkpoint(*args, **kwargs)


def hook_without_inputs(torch):
    layer = torch.nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda module, before, after: None)
    layer(torch.ones(1, 2)).sum().backward()


def backward_hook_of_no_tensors(torch):
    class Named(torch.nn.Module):
        def forward(self, x):
            return {"a": [x * 2]}

    layer = Named()
    layer.register_full_backward_hook(lambda module, before, after: None)
    layer(leaf(torch, 2))


def loading_into_meta(torch):
    torch.nn.Linear(2, 2, device="meta").load_state_dict(torch.nn.Linear(2, 2).state_dict())


def _loss(torch, name, *shapes, **kwargs):
    return getattr(torch.nn.functional, name)(*(torch.full(shape, 0.5) for shape in shapes), **kwargs)


ROWS = {
    "float of what requires grad": lambda torch: float(leaf(torch, 1)),
    "complex of what requires grad": lambda torch: complex(leaf(torch, 1) * 2),
    "square root of what requires grad": lambda torch: math.sqrt(leaf(torch, 1)),
    "formatted as a float": lambda torch: "%.2f" % leaf(torch, 1),  # noqa: UP031 - the conversion warns
    "list of what requires grad": lambda torch: torch.tensor([[leaf(torch, 1), 1.0], [leaf(torch, 1), 2.0]]),
    "as_tensor of what requires grad": lambda torch: torch.as_tensor([leaf(torch, 1)], dtype=torch.float64),
    "new_tensor of what requires grad": lambda torch: torch.ones(1).new_tensor([leaf(torch, 1)]),
    "Tensor of what requires grad": lambda torch: torch.Tensor([leaf(torch, 1)]),
    "tensor of a tensor": lambda torch: torch.tensor(torch.ones(2)),
    "new_tensor of a tensor": lambda torch: torch.ones(2).new_tensor(torch.ones(2)),
    "T of three dims": lambda torch: torch.ones(2, 3, 4).T,
    "T of a vector": lambda torch: torch.ones(2).T,
    "T of a scalar": lambda torch: torch.tensor(1.0).T,
    "H of a scalar": lambda torch: torch.tensor(1.0).H,
    "mT of a scalar": lambda torch: torch.tensor(1.0).mT,
    "mH of a scalar": lambda torch: torch.tensor(1.0).mH,
    "range": lambda torch: torch.range(0, 3),
    "meshgrid without an order": lambda torch: torch.meshgrid(torch.ones(2), torch.ones(3)),
    "complex to real": lambda torch: torch.tensor([1j]).to(torch.float32),
    "complex copied to real": lambda torch: torch.ones(1).copy_(torch.tensor([1j])),
    "complex assigned to real": lambda torch: torch.ones(1).__setitem__(slice(None), torch.tensor([1j])),
    "byte mask": lambda torch: torch.arange(3)[torch.tensor([1, 0, 1], dtype=torch.uint8)],
    "out resized": lambda torch: torch.add(torch.ones(3), 1, out=torch.ones(2)),
    "out resized by mm": lambda torch: torch.mm(torch.ones(2, 3), torch.ones(3, 2), out=torch.ones(3)),
    "resize": lambda torch: torch.ones(4).resize(2, 2),
    "resize_as": lambda torch: torch.ones(4).resize_as(torch.ones(2, 2)),
    "std of one": lambda torch: torch.ones(1).std(),
    "var of nothing": lambda torch: torch.ones(0).var(),
    "addcmul in the old order": lambda torch: torch.addcmul(torch.ones(2), 2, torch.ones(2), torch.ones(2)),
    "scatter with reduce": lambda torch: torch.zeros(2).scatter(0, torch.tensor([0]), torch.ones(1), reduce="add"),
    "default tensor type": lambda torch: torch.set_default_tensor_type(torch.FloatTensor),
    "storage": lambda torch: torch.ones(2).storage().size(),
    "frombuffer of bytes": lambda torch: torch.frombuffer(b"abcd", dtype=torch.uint8),
    "checkpoint without a kind": lambda torch: _checkpoint(torch, torch.exp, torch.ones(2)),
    "checkpoint of a constant": lambda torch: _checkpoint(torch, torch.exp, torch.ones(2), use_reentrant=True),
    "gradcheck in single precision": lambda torch: torch.autograd.gradcheck(
        torch.exp, (leaf(torch, 2),), eps=1e-2, atol=1e-1
    ),
    "softmax without a dim": lambda torch: torch.nn.functional.softmax(torch.ones(2, 2)),
    "Softmax without a dim": lambda torch: torch.nn.Softmax()(torch.ones(2, 2)),
    "mse_loss that broadcasts": lambda torch: _loss(torch, "mse_loss", (2, 1), (2,)),
    "l1_loss that broadcasts": lambda torch: _loss(torch, "l1_loss", (2, 1), (2,)),
    "kl_div mean": lambda torch: _loss(torch, "kl_div", (2, 2), (2, 2)),
    "size_average": lambda torch: _loss(torch, "mse_loss", (2,), (2,), size_average=False),
    "upsample": lambda torch: torch.nn.functional.upsample(torch.ones(1, 1, 2), 4),
    "dropout2d of two dims": lambda torch: torch.nn.functional.dropout2d(torch.ones(2, 2), training=False),
    "LSTM dropout": lambda torch: torch.nn.LSTM(2, 2, dropout=0.5) and None,
    "NLLLoss2d": lambda torch: torch.nn.NLLLoss2d() and None,
    "weight_norm": lambda torch: torch.nn.utils.weight_norm(torch.nn.Linear(2, 2)) and None,
    "clip_grad_norm": lambda torch: torch.nn.utils.clip_grad_norm([leaf(torch, 2)], 1.0),
    "init renamed": lambda torch: torch.nn.init.constant(torch.ones(2), 3.0),
    "initialising nothing": lambda torch: torch.nn.init.kaiming_uniform_(torch.ones(0, 2)),
    "sparse type of nothing": lambda torch: torch.sparse.FloatTensor().shape,
    "sparse type of sizes": lambda torch: torch.sparse.FloatTensor(2, 3).to_dense(),
    "sparse type of values": lambda torch: torch.sparse.FloatTensor(torch.tensor([[0, 2]]), torch.ones(2)).to_dense(),
    "sparse type of a shape": lambda torch: torch.sparse.FloatTensor(torch.tensor([[0, 2]]), torch.ones(2), (4,)).shape,
    "volatile": lambda torch: torch.autograd.Variable(torch.ones(2), volatile=True),
    "byte condition": lambda torch: torch.where(torch.tensor([1, 0], dtype=torch.uint8), 1.0, 2.0),
    "byte condition of a method": lambda torch: torch.ones(2).where(torch.tensor([1, 0], dtype=torch.uint8), 2.0),
    "cross without a dim": lambda torch: torch.cross(torch.ones(3), torch.ones(3)),
    "qr": lambda torch: torch.qr(torch.eye(2)),
    "qr of a method": lambda torch: torch.eye(2).qr(),
    "cholesky": lambda torch: torch.cholesky(torch.eye(2)),
    "lu": lambda torch: torch.lu(torch.eye(2)),
    "lu_solve": lambda torch: torch.lu_solve(torch.eye(2), torch.eye(2), torch.tensor([1, 2], dtype=torch.int32)),
    "triangular_solve": lambda torch: torch.triangular_solve(torch.eye(2), torch.eye(2)).solution,
    "chain_matmul": lambda torch: torch.chain_matmul(torch.eye(2), torch.eye(2)),
    "stft without a window": lambda torch: torch.stft(torch.ones(16), 4, return_complex=True),
    "stft of reals": lambda torch: torch.stft(torch.ones(16), 4, window=torch.ones(4), return_complex=False),
    "istft without a window": lambda torch: torch.istft(torch.ones(3, 17, dtype=torch.complex64), 4),
    "sub in the old order": lambda torch: torch.sub(torch.ones(2), 2, torch.ones(2)),
    "complex module": lambda torch: torch.nn.Linear(2, 2).to(torch.complex64) and None,
}
