"""Programs of vision, generative models, reinforcement learning and science."""

from tests.public_programs.data_vision import mnist
from tests.public_programs.program import Program

PROGRAMS: list[Program] = [
    Program(
        "torch-optimizer-mnist",
        "torch-optimizer-0.3.0",
        "examples/mnist.py",
        "convolutional network with Yogi",
        "vision",
        data=mnist("../data"),
        needs=("torchvision", "torch_optimizer", "tensorboard"),
    ),
]
