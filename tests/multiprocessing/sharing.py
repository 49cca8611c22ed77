"""Programs that share tensors between processes. As a script, the module prints the results as JSON."""

import importlib
import json
import os
import sys

library = importlib.import_module(
    sys.argv[1] if __name__ == "__main__" else os.environ.get("SHARING_LIBRARY", "torchlike")
)
mp = importlib.import_module(f"{library.__name__}.multiprocessing")


def train(rank, model, queue, done):
    """Train a model of another process, as Hogwild does, and send its weight back."""
    library.manual_seed(rank)
    optimizer = library.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (model(library.ones(8, 4)) - 1).pow(2).mean().backward()
        optimizer.step()
    queue.put((rank, model.weight, model.bias.data))
    done.wait(60)


def write(tensors, queue, done):
    """Write to tensors of another process."""
    whole, part, column = tensors
    whole[0] = 5
    part += 1
    column.copy_(library.tensor([7.0, 8.0]))
    queue.put([t.tolist() for t in tensors])
    queue.put(whole[1])
    done.wait(60)


def trained(context):
    model = library.nn.Linear(4, 2)
    with library.no_grad():
        model.weight.fill_(0.5)
        model.bias.zero_()
    model.share_memory()
    queue, done = context.Queue(), context.Event()
    process = context.Process(target=train, args=(0, model, queue, done))
    process.start()
    _, weight, bias = queue.get(timeout=60)
    found = [weight.is_shared(), weight.requires_grad, model.weight.tolist(), weight.tolist(), bias.tolist()]
    with library.no_grad():
        model.weight.fill_(3)
    found += [weight.tolist(), type(weight).__name__]
    done.set()
    process.join(60)
    return [*found, process.exitcode]


def written(context):
    x = library.zeros(3, 2)
    x.share_memory_()
    x[2, 1] = 4
    queue, done = context.Queue(), context.Event()
    process = context.Process(target=write, args=([x, x[1:], x[:2, 1]], queue, done))
    process.start()
    there, row = queue.get(timeout=60), queue.get(timeout=60)
    found = [there, x.tolist(), row.tolist(), row.is_shared(), x.is_shared(), x[0].is_shared()]
    x[1, 0] = -1
    found += [row.tolist(), (x * 2).tolist(), x.numpy().tolist()]
    done.set()
    process.join(60)
    return [*found, process.exitcode]


def plain():
    x = library.arange(6.0).reshape(2, 3)
    before = [x.is_shared(), x.share_memory_() is x, x.is_shared(), x.tolist()]
    y = x.t()
    y[0, 1] = 9
    z = library.nn.Parameter(library.ones(2))
    z.share_memory_()
    (z * 2).sum().backward()
    storages = [t.untyped_storage().is_shared() for t in (x, x[:1], x.clone())]
    return [*before, *storages, x.tolist(), y.is_shared(), x.clone().is_shared(), z.grad.tolist(), z.grad.is_shared()]


def same(message):
    return message


def tied():
    """Send tensors that share memory in one message, and write to the first of each message there."""
    x, y, layer = library.arange(6.0), library.arange(6.0), library.nn.Linear(3, 2)
    layer.also, layer.part = layer.weight, layer.weight.detach()[1:]
    messages = {
        "views": [x, x.view(2, 3), x[1:4], x.view(2, 3).t()],
        "parts": [y[:3], y[2:], y[::2]],
        "dtypes": [library.ones(2, dtype=library.bfloat16), library.ones(2, 0), library.tensor(3)],
        "parameters": [layer.weight, layer.also, layer.part],
        "modules": layer,
    }
    found = {}
    with mp.get_context("fork").Pool(1) as pool:
        for name, message in messages.items():
            tensors = pool.apply(same, (message,))
            if name == "modules":
                tensors = [tensors.weight, tensors.also, tensors.part, tensors.bias]
            tensors[0].detach().fill_(7)
            places = [t.data_ptr() - tensors[0].data_ptr() for t in tensors[:3]] if name != "dtypes" else None
            written = [t.tolist() for t in tensors[:3]]
            found[name] = [places, written, [(t.stride(), t.storage_offset(), t.requires_grad) for t in tensors]]
    return found


def results():
    made = {"plain": plain(), "tied": tied()}
    for method in ("fork", "spawn"):
        context = mp.get_context(method)
        made |= {f"trained, {method}": trained(context), f"written, {method}": written(context)}
    with mp.Pool(2) as pool:
        made["pool"] = [t.tolist() for t in pool.map(library.square, [library.arange(3.0), library.ones(2)])]
    return made


if __name__ == "__main__":
    print(json.dumps(results()))
