"""Random programs that set and read the switches of precision, run under both libraries."""

import random
import sys
import warnings

SETTINGS = {
    "all": lambda L: L.backends,
    "cuda.matmul": lambda L: L.backends.cuda.matmul,
    "cudnn": lambda L: L.backends.cudnn,
    "cudnn.conv": lambda L: L.backends.cudnn.conv,
    "cudnn.rnn": lambda L: L.backends.cudnn.rnn,
    "mkldnn": lambda L: L.backends.mkldnn,
    "mkldnn.matmul": lambda L: L.backends.mkldnn.matmul,
    "mkldnn.conv": lambda L: L.backends.mkldnn.conv,
    "mkldnn.rnn": lambda L: L.backends.mkldnn.rnn,
}
FLAGS = {"cuda.matmul.allow_tf32": "cuda.matmul", "cudnn.allow_tf32": "cudnn"}
REDUCTIONS = ("allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction")
WRONG = (3, None, "no", (), (True, 2), (True, True, True), (True, False), [False, False], (False,), False, True)


def said(work, *args):
    """Return the result, or the type and the text of the error; texts of warnings come with it."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            result = work(*args)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return result, [str(w.message).partition(" (Triggered")[0] for w in found]


def step(choice):
    """Return a random assignment as (what, name, value)."""
    what = choice(("setting",) * 5 + ("flag", "matmul") * 2 + ("reduction", "accumulation"))
    if what == "setting":
        return what, choice(list(SETTINGS)), choice(("ieee", "tf32", "bf16", "none", "fp8"))
    if what == "flag":
        return what, choice(list(FLAGS)), choice((True, False, True, False, 3))
    if what == "matmul":
        return what, "", choice(("highest", "high", "medium", "low", 3))
    return what, choice(REDUCTIONS) if what == "reduction" else "allow_fp16_accumulation", choice(WRONG)


def apply(L, what, name, value):
    if what == "matmul":
        L.set_float32_matmul_precision(value)
    elif what == "setting":
        SETTINGS[name](L).fp32_precision = value
    elif what == "flag":
        SETTINGS[FLAGS[name]](L).allow_tf32 = value
    else:
        setattr(L.backends.cuda.matmul, name, value)


def state(L):
    found = {name: said(lambda of=of: of(L).fp32_precision) for name, of in SETTINGS.items()}
    found |= {name: said(lambda of=of: SETTINGS[of](L).allow_tf32) for name, of in FLAGS.items()}
    split = tuple(f"{name}_split_k" for name in REDUCTIONS)
    found |= {n: getattr(L.backends.cuda.matmul, n) for n in (*REDUCTIONS, *split, "allow_fp16_accumulation")}
    return {**found, "matmul": said(L.get_float32_matmul_precision)}


def compare(seed: int, count: int) -> int:
    """Run random steps under both libraries, and return the number of steps. Raise at the first difference."""
    import torch

    import torchlike

    choice, done = random.Random(seed).choice, []
    assert state(torchlike) == state(torch)
    for _ in range(count):
        done.append(step(choice))
        ours, theirs = (said(apply, L, *done[-1]) for L in (torchlike, torch))
        assert ours == theirs, (done[-8:], ours, theirs)
        ours, theirs = state(torchlike), state(torch)
        assert ours == theirs, (done[-8:], {k: (ours[k], theirs[k]) for k in ours if ours[k] != theirs[k]})
    return len(done)


if __name__ == "__main__":
    print(compare(int(sys.argv[1]), 2000))
