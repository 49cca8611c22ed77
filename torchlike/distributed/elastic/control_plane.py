"""The control plane of workers, which is not supported."""

from torchlike.distributed._absent import absent

__all__ = ["worker_main"]

worker_main = absent("torch.distributed.elastic.control_plane.worker_main")
