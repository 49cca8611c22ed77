"""Conversion between checkpoints in folders and files of `torch.save`.

`python -m torchlike.distributed.checkpoint.format_utils torch_to_dcp FILE FOLDER` and `dcp_to_torch FOLDER FILE` do the
same from the command line.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

import torchlike
from torchlike.distributed.checkpoint._files.torch_files import (
    BroadcastingTorchSaveReader as BroadcastingTorchSaveReader,
)
from torchlike.distributed.checkpoint._files.torch_files import DynamicMetaLoadPlanner as DynamicMetaLoadPlanner
from torchlike.distributed.checkpoint.default_planner import _EmptyStateDictLoadPlanner as _EmptyStateDictLoadPlanner
from torchlike.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from torchlike.distributed.checkpoint.state_dict_loader import _load_state_dict
from torchlike.distributed.checkpoint.state_dict_saver import _save_state_dict


def dcp_to_torch_save(dcp_checkpoint_dir: str | os.PathLike, torch_save_path: str | os.PathLike) -> None:
    """Convert a checkpoint in a folder to a file of `torch.save`. The whole state dict is loaded into memory.

    Args:
        dcp_checkpoint_dir: the folder.
        torch_save_path: the file.
    """
    state: dict[str, Any] = {}
    reader = FileSystemReader(dcp_checkpoint_dir)
    _load_state_dict(state, reader, no_dist=True, planner=_EmptyStateDictLoadPlanner())
    torchlike.save(state, torch_save_path)


def torch_save_to_dcp(torch_save_path: str | os.PathLike, dcp_checkpoint_dir: str | os.PathLike) -> None:
    """Convert a file of `torch.save` to a checkpoint in a folder.

    The file is loaded with `weights_only=True`: mark classes that it needs with `torch.serialization.add_safe_globals`.
    PyTorch loads it with `weights_only=False`.

    Args:
        torch_save_path: the file.
        dcp_checkpoint_dir: the folder.
    """
    state = torchlike.load(torch_save_path, weights_only=True)
    _save_state_dict(state, FileSystemWriter(dcp_checkpoint_dir), no_dist=True)


def main(given: list[str] | None = None) -> None:
    """Convert a checkpoint from the command line."""
    parser = argparse.ArgumentParser(description="Convert checkpoints.")
    parser.add_argument("mode", choices=["torch_to_dcp", "dcp_to_torch"], help="Conversion mode")
    parser.add_argument("src", help="Path to the source model")
    parser.add_argument("dst", help="Path to the destination model")
    args = parser.parse_args(given)
    print(f"Converting checkpoint from {args.src} to {args.dst} using method: '{args.mode}'")
    to_folder = args.mode == "torch_to_dcp"
    if not (os.path.isfile if to_folder else os.path.isdir)(args.src):
        print(f"No checkpoint found at {args.src}. Skipping conversion.")
        return
    (torch_save_to_dcp if to_folder else dcp_to_torch_save)(args.src, args.dst)


if __name__ == "__main__":
    main()
