"""Averages of the parameters of models that processes train separately (local SGD)."""
