"""Run a script and write the losses of its first backward passes to a JSON file.

    python record.py losses.json 50 script.py [argument ...]
    python -m torchlike record.py losses.json 50 script.py [argument ...]

The script ends after that many losses. It is not modified: this program seeds the three generators before it starts,
and notes the value of each tensor whose `backward` it calls.
"""

import importlib
import json
import os
import random
import runpy
import sys
import types

import numpy as np
import torch


class Enough(BaseException):
    """Ends the script when the losses are complete. No `except Exception` of the script catches it."""


def allow_torchvision() -> None:
    """Let torchvision be imported where its compiled extension, built for CUDA, cannot be loaded."""
    try:
        importlib.import_module("torchvision")
    except ModuleNotFoundError:
        pass
    except RuntimeError:  # its rules for shapes name operators that the extension would have declared
        name = "torchvision._meta_registrations"
        sys.modules[name] = types.ModuleType(name)


def main(target: str, count: int, script: str, arguments: list[str]) -> None:
    """Run the script and write its losses, also if it raises."""
    losses: list[float] = []
    backward = torch.Tensor.backward

    def recorded(self, *args, **kwargs):
        losses.append(float(self.detach().double().sum()))
        result = backward(self, *args, **kwargs)
        if len(losses) >= count:
            raise Enough
        return result

    allow_torchvision()
    torch.Tensor.backward = recorded
    if os.environ.get("RECORD_WITHOUT_ONEDNN"):  # the control: PyTorch with another order of the same sums
        torch.backends.mkldnn.enabled = False
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    try:
        runpy.run_path(script, run_name="__main__")
    except Enough:
        pass
    finally:
        with open(target, "w") as file:
            json.dump(losses, file)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])
