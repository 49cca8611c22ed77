"""`python -m benchmarks`: measure, print one table, and write RESULTS.md and results.json."""

import argparse
import os
from functools import partial
from pathlib import Path

from tqdm import tqdm

from benchmarks import compiling, fills, importing, lengths, memory, prompt, recording, report, training, warm_cache
from benchmarks.models import SPECS
from benchmarks.rival import Failed, Setting
from benchmarks.rows import Row

QUESTIONS = {
    "record": recording,
    "prompt": prompt,
    "lengths": lengths,
    "fills": fills,
    "warm": warm_cache,
    "memory": memory,
    "import": importing,
    "compiled": compiling,
}


def main():
    args = arguments()
    setting = Setting(args.device, args.threads, *((3, 1) if args.quick else (9, 3)))
    out = args.out or (None if args.quick or args.only else Path(__file__).parent)
    if out:
        out.mkdir(parents=True, exist_ok=True)  # an unwritable folder fails here, not after the measurements
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.threads])
    about, rows = report.about(setting), []
    with tqdm(tasks(setting, args.only), unit="question") as bar:
        for name, task in bar:
            bar.set_postfix_str(name)
            rows += answer(name, task)
            bar.write("\n".join(" | ".join(report.cells(row)) for row in rows[-3:]))
    rows += training.summary(rows)
    print(report.table(rows))
    if out:
        report.write(rows, about, out, "results" if args.device == "cpu" else f"results-{args.device}")


def arguments():
    names = [*SPECS, *QUESTIONS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a third of the rounds")
    parser.add_argument("--only", type=lambda text: text.split(","), help=f"some of {','.join(names)}")
    parser.add_argument("--out", type=Path, help="folder of the results (default, of a full run: benchmarks/)")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    if unknown := set(args.only or []) - set(names):
        parser.error(f"--only: {', '.join(sorted(unknown))} not among {', '.join(names)}")
    return args


def tasks(setting, only):
    models = {name: partial(training.rows, setting, name) for name in SPECS}
    questions = {name: partial(module.rows, setting) for name, module in QUESTIONS.items()}
    return [(name, task) for name, task in (models | questions).items() if not only or name in only]


def answer(name, task):
    """Return the rows of a task.

    If the task cannot be measured, return one row with the reason, so that the other tasks still run.
    """
    try:
        return task()
    except Failed as failure:
        return [Row(name, "", {}, failures={"torchlike": str(failure)})]


if __name__ == "__main__":
    main()
