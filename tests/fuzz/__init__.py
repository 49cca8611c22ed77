"""Random programs of views, writes and gradients, run in both libraries and compared statement by statement.

python -m tests.fuzz --count 20000 --seed 1
"""
