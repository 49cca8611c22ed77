"""The NumPy executor: programs that are interpreted, one operator after another."""
