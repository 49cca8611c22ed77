"""Programs that NumPy runs, one operator after another."""
