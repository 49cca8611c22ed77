"""`nn.utils`, compared with PyTorch's: gradient clipping, parameter vectors, padded and packed sequences."""

import pytest

from tests.nn.twins import agree, evaluate, execute

CLIP = """
P, Q, R = nn.Parameter(T.ones(2)), nn.Parameter(T.ones(3)), nn.Parameter(T.ones(1))
P.grad, Q.grad = T.tensor([3.0, 4.0]), T.tensor([0.0, -12.0, 0.5])
"""


@pytest.mark.parametrize(
    "line",
    [
        "clip_grad_norm_([P, Q, R], 1.0)",
        "clip_grad_norm_([P, Q], 100.0)",
        "clip_grad_norm_(P, 1.0)",
        "clip_grad_norm_((p for p in [P, Q]), 1.0, norm_type='inf')",
        "clip_grad_norm_([P, Q], 1, norm_type=1)",
        "clip_grad_norm_([P, Q], 1, norm_type=0)",
        "clip_grad_norm_([R], 1.0)",
        "clip_grad_norm_([], 1.0)",
        "clip_grad_norm([P], 1.0)",
        "clip_grad_value_([P, Q, R], 3.5)",
        "clip_grad_value_(P, 3.5)",
        "clip_grads_with_norm_([P, Q], 3.5, T.tensor(7.0))",
        "get_total_norm([P.grad, Q.grad])",
        "get_total_norm(P.grad, 3)",
        "get_total_norm([])",
        "parameters_to_vector([P, Q])",
        "vector_to_parameters(T.arange(5.0), [P, Q])",
    ],
)
def test_gradients_and_vectors(line):
    agree(lambda T: execute(f"{CLIP}\nlog(nn.utils.{line}); log(P); log(Q); log(P.grad); log(Q.grad)", T))


def test_non_finite_norms():
    setting = CLIP + "P.grad = T.tensor([float('nan'), 1.0])\n"
    agree(lambda T: execute(setting + "log(nn.utils.clip_grad_norm_([P, Q], 1.0)); log(Q.grad)", T))
    agree(lambda T: execute(setting + "nn.utils.clip_grad_norm_([P, Q], 1.0, error_if_nonfinite=True)", T))


SEQUENCES = """
R = nn.utils.rnn
rows = [T.arange(2.0 * n).view(n, 2) for n in (2, 4, 3)]
padded = R.pad_sequence(rows)
"""


@pytest.mark.parametrize(
    "line",
    [
        "padded",
        "R.pad_sequence(rows, batch_first=True, padding_value=-1.0)",
        "R.pad_sequence(rows, padding_side='left')",
        "R.unpad_sequence(padded, T.tensor([2, 4, 3]))",
        "tuple(R.pack_padded_sequence(padded, [2, 4, 3], enforce_sorted=False))",
        "tuple(R.pack_padded_sequence(padded.transpose(0, 1), T.tensor([4, 3, 1]), batch_first=True))",
        "R.pad_packed_sequence(R.pack_padded_sequence(padded, [2, 4, 3], enforce_sorted=False))",
        "R.pad_packed_sequence(R.pack_sequence(rows, False), batch_first=True, padding_value=9.0, total_length=6)",
        "R.unpack_sequence(R.pack_sequence(rows, enforce_sorted=False))",
        "tuple(R.pack_sequence(rows, enforce_sorted=False).double())",
        "R.invert_permutation(T.tensor([2, 0, 1]))",
    ],
)
def test_sequences(line):
    def run(T):
        log = execute(f"{SEQUENCES}\nlog({line})", T)
        return log[0]

    agree(run)


@pytest.mark.parametrize(
    "layer",
    [
        "nn.LSTM(2, 3, 2, bidirectional=True, dropout=0.4)",
        "nn.GRU(2, 3, bidirectional=True)",
        "nn.RNN(2, 3, 2, bias=False)",
    ],
)
def test_packed_sequences_run(layer):
    script = f"""
{SEQUENCES}
net = {layer}
output, state = net(R.pack_sequence(rows, enforce_sorted=False))
log(R.pad_packed_sequence(output)); log(state)
output.data.sum().backward(); log([p.grad for p in net.parameters()])
"""
    agree(lambda T: execute(script, T), rtol=1e-4)


@pytest.mark.parametrize("enforce_sorted", [False, True])
def test_packed_sequences_take_a_first_state(enforce_sorted):
    script = f"""
{SEQUENCES}
rows = sorted(rows, key=len, reverse=True) if {enforce_sorted} else rows
net = nn.LSTM(2, 3, bidirectional=True)
h, c = T.arange(18.0).view(2, 3, 3) / 10, T.arange(18.0).view(2, 3, 3) / 20
output, state = net(R.pack_sequence(rows, enforce_sorted={enforce_sorted}), (h, c)); log(output.data); log(state)
"""
    agree(lambda T: execute(script, T), rtol=1e-4)


def test_prefixes_of_wrapped_modules():
    script = """
state = nn.DataParallel(nn.Sequential(nn.Linear(1, 1))).state_dict()
nn.modules.utils.consume_prefix_in_state_dict_if_present(state, 'module.'); log(state); log(dict(state._metadata))
"""
    agree(lambda T: execute(script, T))


def test_skip_init():
    agree(lambda T: evaluate("nn.utils.skip_init(nn.Linear, 2, 3).weight.shape", T))
    agree(lambda T: evaluate("nn.utils.skip_init(nn.ReLU)", T))
    agree(lambda T: evaluate("nn.utils.skip_init(int)", T))
