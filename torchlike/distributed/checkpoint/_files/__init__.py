"""The files of checkpoints: their names, their formats, and reading and writing them."""
