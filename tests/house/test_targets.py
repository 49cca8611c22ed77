"""Rule: programs name their device explicitly. The package never uses JAX's process-wide default device."""

import ast

from tests.house.source import sources

# JAX functions that return the process's default device, or the devices of all processes.
ASKS_THE_PROCESS = {"default_backend", "devices", "get_default_device", "local_device_count", "device_count"}


def test_nothing_asks_for_the_backend_of_the_process():
    found = [
        f"{source}:{node.lineno} {ast.unparse(node)}"
        for source in sources("torchlike")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr in ASKS_THE_PROCESS
        if isinstance(node.value, ast.Name) and node.value.id == "jax"
    ]
    assert found == []


def test_only_the_executor_lowers_for_a_platform_and_kernels_only_ask():
    """Check that kernels do not enter the context in which the executor lowers for a platform.

    A kernel that entered this context would be traced for a different platform than its program.
    """
    found = [
        f"{source}:{node.lineno} {node.id}"
        for source in sources("torchlike")
        if source.path.parts[1] == "_ops" and source.path.stem not in ("gradient", "interpreted")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and node.id in ("tracing_for", "tracing_for_any", "pinned", "placing_on_cpu")
    ]
    assert found == []
