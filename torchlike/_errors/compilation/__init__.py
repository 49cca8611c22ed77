"""Errors of recording and compilation."""
