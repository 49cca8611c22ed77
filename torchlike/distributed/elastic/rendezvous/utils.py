"""Parsing of the options of a rendezvous."""

from __future__ import annotations

import re


def parse_rendezvous_endpoint(endpoint: str | None, default_port: int) -> tuple[str, int]:
    """Return the host and the port of an endpoint, "host[:port]" or "[IPv6 address]:port".

    Args:
      endpoint: the endpoint. If it is empty, the host is "localhost".
      default_port: the port of an endpoint without a port.

    Raises:
      ValueError: if the host or the port is invalid.
    """
    endpoint = (endpoint or "").strip()
    if not endpoint:
        return "localhost", default_port
    bracketed = endpoint[0] == "[" and endpoint[-1] == "]"
    host, colon, given = (endpoint, "", "") if bracketed or ":" not in endpoint else endpoint.rpartition(":")
    if len(host) > 1 and host[0] == "[" and host[-1] == "]":
        host = host[1:-1]
    if colon and not (re.fullmatch(r"[0-9]{1,5}", given) and int(given) < 65536):
        raise ValueError(
            f"The port number of the rendezvous endpoint '{endpoint}' must be an integer between 0 and 65536."
        )
    if not re.match(r"^[\w\.:-]+$", host):
        raise ValueError(
            f"The hostname of the rendezvous endpoint '{endpoint}' must be a dot-separated list of labels, an IPv4 "
            "address, or an IPv6 address."
        )
    return host, int(given) if colon else default_port


def _parse_rendezvous_config(config_str: str) -> dict[str, str]:
    """Parse "key=value,key=value"."""
    found = {}
    for pair in config_str.strip().split(",") if config_str.strip() else []:
        key, _, value = (part.strip() for part in pair.partition("="))
        if not key:
            raise ValueError(
                "The rendezvous configuration string must be in format <key1>=<value1>,...,<keyN>=<valueN>."
            )
        if not value:
            raise ValueError(f"The rendezvous configuration option '{key}' must have a value specified.")
        found[key] = value
    return found
