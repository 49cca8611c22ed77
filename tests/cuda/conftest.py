"""The file that needs a PyTorch without CUDA as its judge. A PyTorch built for CUDA has other errors without a GPU."""

import torch

collect_ignore = [] if torch.version.cuda is None else ["test_without_gpu.py"]
