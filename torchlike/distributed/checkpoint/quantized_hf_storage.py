"""`QuantizedHuggingFaceStorageReader`, which is not supported."""

from torchlike.distributed._absent import absent

__all__ = ["QuantizedHuggingFaceStorageReader"]

QuantizedHuggingFaceStorageReader = absent(
    "torch.distributed.checkpoint.quantized_hf_storage.QuantizedHuggingFaceStorageReader"
)
