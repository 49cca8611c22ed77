"""The parts of the loader that user code reaches by PyTorch's path: collating and worker information."""

from torchlike.utils.data._utils import collate as collate
from torchlike.utils.data._utils import worker as worker
