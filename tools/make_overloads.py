"""Write `torchlike/_api/overloads.txt`, the names of the overloads of the ATen operators, as PyTorch lists them.

Run `python -m tools.make_overloads` after an operator is added. A line holds the operator's name and its overloads.
"""

from pathlib import Path

import torch

import torchlike

TABLE = Path(torchlike.__file__).parent / "_api" / "overloads.txt"


def lines() -> list[str]:
    """Return the lines of the operators that both libraries have."""
    schemas = torch._C._jit_get_all_schemas()
    names = sorted({schema.name.removeprefix("aten::") for schema in schemas if schema.name.startswith("aten::")})
    known = [name for name in names if hasattr(torch.ops.aten, name) and hasattr(torchlike.ops.aten, name)]
    return [" ".join([name, *getattr(torch.ops.aten, name).overloads()]) for name in known]


if __name__ == "__main__":
    TABLE.write_text("\n".join(lines()) + "\n")
