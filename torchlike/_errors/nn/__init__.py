"""Errors of neural network operators."""
