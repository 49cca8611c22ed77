"""gluonts: DeepAR's loss and its gradients, samples of the future."""

import logging
import warnings

import torch
from gluonts.torch.model.deepar.module import DeepARModel

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
torch.manual_seed(0)
model = DeepARModel(
    freq="D",
    context_length=8,
    prediction_length=4,
    num_feat_dynamic_real=1,
    num_feat_static_real=1,
    num_feat_static_cat=1,
    cardinality=[1],
    num_layers=1,
    hidden_size=8,
    lags_seq=[1, 2],
)
past = model._past_length
given = {
    "feat_static_cat": torch.zeros(2, 1, dtype=torch.int64),
    "feat_static_real": torch.zeros(2, 1),
    "past_time_feat": torch.randn(2, past, 1),
    "past_target": torch.rand(2, past),
    "past_observed_values": torch.ones(2, past),
    "future_time_feat": torch.randn(2, 4, 1),
}
samples = model(**given, num_parallel_samples=5)
print(tuple(samples.shape), round(samples.sum().item(), 3))
loss = model.loss(**given, future_target=torch.rand(2, 4), future_observed_values=torch.ones(2, 4)).mean()
loss.backward()
print(round(loss.item(), 4), [round(p.grad.abs().sum().item(), 3) for p in model.parameters() if p.grad is not None])
