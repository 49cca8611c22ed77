"""``python -m torchlike.distributed.launch``: the older launcher, which also passes `--local-rank` to the script."""

from __future__ import annotations

import sys

from torchlike.distributed.run import main as _run


def main(argv: list[str] | None = None) -> int:
    """Start the processes. With `--use-env`, the script gets no `--local-rank` argument."""
    given = list(sys.argv[1:] if argv is None else argv)
    plain = [word for word in given if word not in ("--use-env", "--use_env")]
    return _run(plain, says_rank=plain == given)


if __name__ == "__main__":
    sys.exit(main())
