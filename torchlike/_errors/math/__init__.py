"""Errors of mathematical operators."""
