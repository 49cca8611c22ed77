"""Writes the random program of a seed."""

from __future__ import annotations

from random import Random

from tests.fuzz_steps.events import CALLS, EVENTS, FAILING
from tests.fuzz_steps.modules import choose_blocks, write_model
from tests.fuzz_steps.optimizers import write_optimizer, write_scheduler
from tests.fuzz_steps.program import Program, listed
from tests.fuzz_steps.steps import STOP, write_step

DATA = """xs = [torch.randn(3, 4) for _ in range(6)]
ys = [torch.randn(3, 4) for _ in range(6)]
ids = torch.tensor([1, 0, 4])
w = nn.Parameter(torch.ones(4))
v = nn.Parameter(torch.linspace(0.5, 1, 4))
u = nn.Parameter(torch.eye(4))
extra = nn.Parameter(torch.ones(2))
row = torch.ones(4)
total = torch.zeros(())
history = torch.zeros(3)
log, kept, stop, out = [], {}, False, None
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a
    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0] * g
class Both(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b, b.sin()
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return g * b, (g * a).sum(0) + h * b.cos()"""
STATE = """first = next(model.parameters())
view = first.detach()[:1]
ema = [p.detach().clone() for p in model.parameters()]
start = copy.deepcopy(model.state_dict())
start_opt = copy.deepcopy(opt.state_dict())"""
HOOKS = listed("""
first.register_hook(lambda g: g * 0.5)

w.register_hook(lambda g: g.clamp(-1, 1))

first.register_post_accumulate_grad_hook(lambda p: (p.grad.mul_(0.5), None)[1])

model.register_forward_hook(lambda m, i, o: o * 1.1)

list(model.modules())[-1].register_forward_hook(lambda m, i, o: kept.update(o=o))

model.register_full_backward_hook(lambda m, i, o: kept.update(g=o[0]))

opt.register_step_post_hook(lambda o, a, k: (total.add_(1), None)[1])

opt.register_step_pre_hook(lambda o, a, k: nn.utils.clip_grad_value_(model.parameters(), 1))
""")
FREEZE = (
    "first.requires_grad_(False)",
    "for p in list(model.parameters())[1:3]:\n    p.requires_grad_(False)",
    "list(model.parameters())[-1].requires_grad_(False)",
)


def program_of(seed: int, executor: str | None = None) -> Program:
    """Return the random program of a seed."""
    random = Random(seed)
    is_exact = random.random() < 0.75
    has_schedule = random.random() < 0.3
    is_opaque = random.random() < 0.2
    functions = _functions(random, has_schedule, is_opaque)
    lines = [DATA, *write_model(random, choose_blocks(random, is_exact, is_opaque), is_exact, is_opaque)]
    lines += [write_optimizer(random), STATE]
    if has_schedule:
        lines.append(write_scheduler(random))
    lines += [hook for hook in random.sample(HOOKS, 1) if random.random() < 0.2 and (is_opaque or "kept" not in hook)]
    lines += random.sample(FREEZE, 1) if random.random() < 0.15 else []
    lines += ["average = torch.optim.swa_utils.AveragedModel(model)"] if "average." in "".join(functions) else []
    lines += functions
    lines += _calls(random)
    executor = executor or ("xla" if random.random() < 0.03 else "numpy")
    return Program("\n".join(lines), "float64" if is_exact else "float32", executor, random.random() < 0.15)


def _functions(random: Random, has_schedule: bool, is_opaque: bool) -> list[str]:
    """Write the training step, and the statements that compile all or part of it."""
    phases = write_step(random, is_opaque)
    after = phases["after"]
    if has_schedule and random.random() < 0.7:
        after = [*after, "sched.step()"]
    phases["after"] = after
    if random.random() < 0.2:
        place = random.choice(("forward", "backward", "update", "after"))
        phases[place] = [*phases[place], STOP]
    everything = ["zero", "forward", "backward", "update", "after", "return"]
    how = random.choices(("step", "module", "loss", "parts"), (12, 2, 3, 3))[0]
    if how == "step":
        return [_function("step", "x, y", phases, everything), "step = compile(step)"]
    if how in ("module", "loss"):  # neither library supports second derivatives through a partly compiled step
        phases = {name: [s for s in statements if "create_graph" not in s] for name, statements in phases.items()}
        phases["backward"] = phases["backward"] or ["loss.backward()"]
    if how == "module":
        steps = _function("step", "x, y", phases, everything).replace("model(x)", "fast(x)")
        return ["fast = compile(model)", steps]
    if how == "loss":
        inner = _function("loss_of", "x, y", phases, ["forward"]) + "\n    return loss, z"
        rest = {**phases, "forward": ["loss, z = loss_of(x, y)"]}
        return [inner, "loss_of = compile(loss_of)", _function("step", "x, y", rest, everything)]
    inner = _function("update", "", phases, ["update"]) + "\n    return None"
    rest = {**phases, "update": ["update()"]}
    outer = _function("step", "x, y", rest, everything)
    return [inner, "update = compile(update)", outer, *(["step = compile(step)"] if random.random() < 0.5 else [])]


def _function(name: str, arguments: str, phases: dict[str, list[str]], which: list[str]) -> str:
    body = [line for phase in which for statement in phases[phase] for line in statement.split("\n") if line]
    names = [n for n in ("total", "ema", "row", "history") if any(line.startswith(f"{n} ") for line in body)]
    head = [f"global {', '.join(names)}"] if names else []
    return "\n".join([f"def {name}({arguments}):", *[f"    {line}" for line in [*head, *body] or ["pass"]]])


def _calls(random: Random) -> list[str]:
    """Write four to six calls, with random events between them."""
    lines = []
    for number in range(random.randint(4, 6)):
        if number:
            lines += random.choices(EVENTS, k=random.choice((0, 0, 0, 1, 1, 2) if number > 2 else (0, 0, 0, 0, 1)))
        fails = number and random.random() < 0.05
        call = FAILING if fails else random.choice(CALLS if number > 2 else CALLS[:1])
        lines.append(call.replace("N]", f"{number}]"))
    return lines
