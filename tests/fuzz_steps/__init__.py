"""Random training steps: each program run as it is written in PyTorch and here, and compiled here, state for state.

python -m tests.fuzz_steps --count 20000 --seed 1
"""
