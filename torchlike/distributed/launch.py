"""``python -m torchlike.distributed.launch``: the older launcher, which also tells the script its `--local-rank`."""

from __future__ import annotations

import sys

from torchlike.distributed.run import main as _run


def main(argv: list[str] | None = None) -> int:
    """Start the processes; `--use-env` leaves the argument out."""
    given = list(sys.argv[1:] if argv is None else argv)
    plain = [word for word in given if word not in ("--use-env", "--use_env")]
    return _run(plain, says_rank=plain == given)


if __name__ == "__main__":
    sys.exit(main())
