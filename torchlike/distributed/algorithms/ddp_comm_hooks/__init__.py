"""Communication hooks that average gradients."""

from torchlike.distributed.algorithms.ddp_comm_hooks import debugging_hooks as debugging_hooks
from torchlike.distributed.algorithms.ddp_comm_hooks import default_hooks as default_hooks
from torchlike.distributed.algorithms.ddp_comm_hooks._kinds import DDPCommHookType as DDPCommHookType
from torchlike.distributed.algorithms.ddp_comm_hooks._kinds import register_ddp_comm_hook as register_ddp_comm_hook
