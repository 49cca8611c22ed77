"""Random autograd programs, run in PyTorch and in torchlike. After each statement all observable state must be equal.

python -m tests.fuzz_autograd --count 1000 --seed 1
"""
