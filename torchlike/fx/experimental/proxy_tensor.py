"""The query for the proxy-tensor tracing mode, which torchlike does not have."""


def get_proxy_mode() -> None:
    """Return None: no proxy-tensor tracing is active."""
