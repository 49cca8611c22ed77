"""`python -m torchlike.distributed.launch`: the older launcher, which also passes `--local-rank` to the script."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from torchlike._internal import warn
from torchlike.distributed.run import get_args_parser, run


def parse_args(args: Sequence[str] | None) -> Namespace:
    """Parse the command line `args`, or `sys.argv`."""
    parser = get_args_parser()
    parser.add_argument(
        "--use-env", "--use_env", action="store_true", help="give the script no --local-rank argument, only LOCAL_RANK"
    )
    return parser.parse_args(args)


def launch(args: Namespace) -> None:
    """Start the processes that a parsed command line asks for."""
    if args.no_python and not args.use_env:
        raise ValueError("When using the '--no-python' flag, you must also set the '--use-env' flag.")
    run(args)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line `args`, or `sys.argv`."""
    warn(
        "The module torch.distributed.launch is deprecated\nand will be removed in future. Use torchrun.\n",
        FutureWarning,
    )
    launch(parse_args(args))


if __name__ == "__main__":
    main()
