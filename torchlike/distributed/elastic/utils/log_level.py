"""The level of the launcher's loggers."""


def get_log_level() -> str:
    """Return "WARNING", the default level."""
    return "WARNING"
