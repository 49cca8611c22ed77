"""Programs with loss scaling whose gradients sometimes overflow, for torchlike and PyTorch."""

from __future__ import annotations

from typing import Any

OPTIONS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "dampening": 0.5},
    "Adam": {"lr": 0.1, "amsgrad": True},
    "AdamW": {"lr": 0.1, "weight_decay": 0.1},
    "Adamax": {},
    "Adadelta": {},
    "Adagrad": {"lr": 0.1, "lr_decay": 0.1},
    "RMSprop": {"lr": 0.01, "momentum": 0.5},
}
WAITING: dict[str, dict[str, Any]] = {"NAdam": {}, "RAdam": {}, "ASGD": {}, "Rprop": {"lr": 0.1}}  # they read the flag
OVERFLOWS = ([1, 0, 1, 0, 0, 1, 0], [1, 1])
FORMS = {"AdamW": ("recorded", "compiled"), "SGD": ("recorded", "compiled"), "others": ("recorded",)}
CASES = [(kind, form) for kind in (*OPTIONS, *WAITING) for form in FORMS.get(kind, FORMS["others"])]


def _net(t: Any, device: str) -> Any:
    net = t.nn.Sequential(t.nn.Linear(4, 3), t.nn.Tanh(), t.nn.Linear(3, 2))
    with t.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_((t.arange(p.numel()).reshape(p.shape) + i).float().sin())
    return net.to(device)


def trains(t: Any, device: str, kind: str, overflows: list[int], change: Any = None, compiled: bool = False) -> dict:
    """Train with a scheduler. Return the losses and all state after scaled steps, and parameters after plain steps.

    `change(torch, optimizer)` prepares the optimizer.
    """
    net, x = _net(t, device), (t.arange(20).reshape(5, 4).float() * 0.3).cos().to(device)
    optimizer = getattr(t.optim, kind)(net.parameters(), **{**OPTIONS, **WAITING}[kind])
    scaler = t.amp.GradScaler(device.partition(":")[0], init_scale=64.0, growth_interval=3)
    scheduler = t.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    if change is not None:
        change(t, optimizer)

    def step(factor):
        optimizer.zero_grad()
        loss = net(x).square().mean()
        scaler.scale(loss * factor).backward()
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        return loss.detach()

    run = t.compile(step) if compiled else step
    factors = [t.full((), float("inf") if overflow else 1.0).to(device) for overflow in overflows]
    found: dict[str, Any] = {"losses": [run(factor) for factor in factors]}
    found["losses"] = [loss.item() for loss in found["losses"]]
    states = optimizer.state_dict()["state"]
    as_numbers = lambda x: x.tolist() if isinstance(x, t.Tensor) else x
    found["state"] = {str(i): {name: as_numbers(x) for name, x in kept.items()} for i, kept in states.items()}
    found["scale"] = [scaler.get_scale(), scaler._get_growth_tracker()]
    found["scaled"] = [p.tolist() for p in net.parameters()]
    for _ in range(2):
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()
    found["plain"] = [p.tolist() for p in net.parameters()]
    if compiled and hasattr(run, "explained"):
        found["recordings"] = run.explained().recordings
    return found


def hooked(t: Any, optimizer: Any) -> None:
    """Register a hook that changes the parameters after every step that is not skipped."""

    def hook(optimizer, args, kwargs):
        with t.no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    p.mul_(0.5)

    optimizer.register_step_post_hook(hook)


def replaced(t: Any, optimizer: Any) -> None:
    """Replace `step` on the instance by one that steps twice."""
    before = optimizer.step

    def step():
        before()
        before()

    optimizer.step = step


CHANGES = {"hooked": hooked, "replaced": replaced}


def main() -> None:
    """Print the results on an accelerator, and the reads of one step, as JSON."""
    import json
    import warnings

    import jax

    import torchlike
    from torchlike._dtypes.devices import stand_ins
    from torchlike._engine.xla.transfers import counted

    warnings.simplefilter("ignore")
    found = {}
    with stand_ins("cuda", jax.devices()[1:3]):
        for kind, form in CASES:
            for number, overflows in enumerate(OVERFLOWS):
                found[f"{kind} {number} {form}"] = trains(torchlike, "cuda", kind, overflows, None, form == "compiled")
        for kind in ("AdamW", "SGD"):
            found[f"begins {kind}"] = begins(torchlike, "cuda", kind)
        for name, change in CHANGES.items():
            found[name] = trains(torchlike, "cuda", "AdamW", OVERFLOWS[0], change)
        for kind in (*OPTIONS, *WAITING):
            found[f"reads {kind}"] = _reads(torchlike, kind, counted)
    print(json.dumps(found))


def _reads(t: Any, kind: str, counted: Any) -> int:
    net, x = _net(t, "cuda"), t.ones(5, 4, device="cuda")
    optimizer, scaler = getattr(t.optim, kind)(net.parameters()), t.amp.GradScaler("cuda")
    with counted() as counts:
        for _ in range(3):
            optimizer.zero_grad()
            scaler.scale(net(x).sum()).backward()
            scaler.step(optimizer)
            scaler.update()
    return counts.to_host


def begins(t: Any, device: str, kind: str) -> list[Any]:
    """Skip the first step. Return the keys of the state, the reads, and an embedding with sparse gradients after it."""
    table = t.arange(6.0).reshape(3, 2).to(device).requires_grad_()
    weight = t.ones(2).to(device).requires_grad_()
    scaler = t.amp.GradScaler(device, init_scale=4.0)
    sparse, dense = t.optim.SGD([table], lr=0.1), getattr(t.optim, kind)([weight], lr=0.1)
    seen: list[Any] = []
    for factor in (float("inf"), 1.0, 1.0):
        sparse.zero_grad()
        dense.zero_grad()
        rows = t.nn.functional.embedding(t.tensor([1]).to(device), table, sparse=True)
        (scaler.scale((rows * weight).sum()) * t.full((), factor).to(device)).backward()
        scaler.step(sparse)
        scaler.step(dense)
        scaler.update()
        seen.append([[*kept] for kept in dense.state_dict()["state"].values()])
    return [seen, table.tolist(), weight.tolist()]
