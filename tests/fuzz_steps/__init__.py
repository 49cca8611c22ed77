"""Random training steps, run in PyTorch, in torchlike uncompiled, and in torchlike compiled. All state must be equal.

python -m tests.fuzz_steps --count 20000 --seed 1
"""
