"""`python -m benchmarks.networks`: measure, write the table and the plot, or compare with the committed table."""

import argparse
import os

from tqdm import tqdm

from benchmarks import report
from benchmarks.contenders import COMPILE
from benchmarks.networks import NETWORKS, SHORT, figures, measure, plot, table
from benchmarks.rival import Setting

ROUNDS, SHORT_ROUNDS = 7, 4


def main() -> None:
    args = arguments()
    names = [name for name in NETWORKS if name in (args.networks or (SHORT if args.short else NETWORKS))]
    setting = Setting(threads=args.threads, rounds=SHORT_ROUNDS if args.short else ROUNDS)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.threads])
    committed = table.load()
    about = facts(setting, args.networks, committed["about"])
    found = {}
    with tqdm(names, unit="network") as bar:
        for name in bar:
            told = lambda side, name=name: bar.set_postfix_str(f"{name}, {side}")
            found[name] = measure.measured(setting, name, told, COMPILE if args.no_torch_compile else None)
            bar.write("\n".join([summary(name, found[name]), *figures.failures({name: found[name]})]))
            if not args.short:
                table.write({**committed, "about": about, "networks": committed["networks"] | found})
    if args.short:
        compare(found, committed["networks"])
        return
    chain = committed["chain"] if args.networks else measure.chains(setting)
    record = {"about": about, "chain": chain, "networks": committed["networks"] | found}
    table.write(record)
    print(table.TABLE.read_text())
    draw(record["networks"])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.networks", description=__doc__)
    parser.add_argument("networks", nargs="*", help=f"some of {', '.join(NETWORKS)} (default: all)")
    parser.add_argument("--short", action="store_true", help="compare a few networks with the committed table")
    parser.add_argument(
        "--no-torch-compile", action="store_true", help="leave out the side that takes half of the time"
    )
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    if unknown := set(args.networks) - set(NETWORKS):
        parser.error(f"{', '.join(sorted(unknown))} not among {', '.join(NETWORKS)}")
    return args


def facts(setting: Setting, names: list[str], committed: dict[str, str]) -> dict[str, str]:
    """Return the facts of the run. A run of some networks keeps the facts of the others and adds its own."""
    about = report.about(setting)
    about["command"] = about["command"].replace("benchmarks", "benchmarks.networks", 1)
    libraries = sorted({network.needs for network in NETWORKS.values() if network.needs})
    about["versions"] = ", ".join([about["versions"], *(f"{name} {report.found(name)}" for name in libraries)])
    if names and committed:
        again = ", ".join([*names, *(about[key] for key in ("date", "commit", "processor", "load before"))])
        return committed | {"measured again": again}
    return about


def summary(name: str, network: dict) -> str:
    """Return one line about a measured network."""
    if reason := network.get("missing"):
        return f"{name}: {reason}"
    ratios = [f"{what} {text}" for what in figures.COMPARED if (text := table.ratio(network, what, "torchlike"))]
    return f"{name}: torchlike over PyTorch eager: {'; '.join(ratios)}"


def compare(found: dict, committed: dict) -> None:
    """Print what is slower than in the committed record."""
    if absent := [name for name in found if name not in committed]:
        print(f"not in the committed table, so not compared: {', '.join(absent)}")
    if len(absent) == len(found):
        return
    lines = figures.slower(found, committed)
    print("\n".join(["slower than the committed table:", *lines]) if lines else "nothing became slower")


def draw(networks: dict) -> None:
    try:
        plot.draw(networks, table.PLOT)
    except ModuleNotFoundError as error:
        print(f"no plot: {error}")


if __name__ == "__main__":
    main()
