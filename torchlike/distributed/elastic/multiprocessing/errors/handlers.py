"""The default error handler."""

from .error_handler import ErrorHandler


def get_error_handler() -> ErrorHandler:
    """Return a new `ErrorHandler`."""
    return ErrorHandler()
