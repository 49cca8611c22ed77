"""Communication hooks that average gradients."""

from torchlike.distributed.algorithms.ddp_comm_hooks import default_hooks as default_hooks
