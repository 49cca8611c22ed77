"""The former name of `torch.distributed.tensor.experimental`."""

from torchlike.distributed.tensor.experimental import implicit_replication as implicit_replication
