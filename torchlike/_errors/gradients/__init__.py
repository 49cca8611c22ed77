"""Errors of autograd and of transforms."""
