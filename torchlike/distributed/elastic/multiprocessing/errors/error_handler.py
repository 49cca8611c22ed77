"""The handler that writes an exception to the error file of this process."""

from __future__ import annotations

import faulthandler
import json
import os
import time
import traceback
from typing import Any

from torchlike._internal import warn
from torchlike.distributed.elastic.utils.logging import get_logger
from torchlike.serialization._atomic import replacing

logger = get_logger(__name__)


class ErrorHandler:
    """Write exceptions as JSON to the file that the environment variable TORCHELASTIC_ERROR_FILE names.

    Nothing is written if the variable is not set. A subclass may override `initialize` and `record_exception`.
    """

    def _get_error_file_path(self) -> str | None:
        return os.environ.get("TORCHELASTIC_ERROR_FILE")

    def initialize(self) -> None:
        """Enable `faulthandler`, which prints the Python stack of a process that crashes."""
        try:
            faulthandler.enable(all_threads=True)
        except Exception as error:  # stderr has no file descriptor
            warn(f"Unable to enable fault handler. {type(error).__name__}: {error}")

    def record_exception(self, e: BaseException) -> None:
        """Write the type, the message, the traceback and the time of the exception that is being handled."""
        path = self._get_error_file_path()
        if not path:
            return
        told = {
            "message": f"{type(e).__name__}: {e}",
            "extraInfo": {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))},
        }
        _write(path, {"message": told})

    def override_error_code_in_rootcause_data(
        self, rootcause_error_file: str, rootcause_error: dict[str, Any], error_code: int = 0
    ) -> None:
        """Set the error code of an error that was read from a file."""
        if "message" not in rootcause_error:
            logger.warning("the error file %s has no message, so its error code is not set", rootcause_error_file)
        elif isinstance(rootcause_error["message"], str):
            logger.warning("the message of %s is a string, so its error code is not set", rootcause_error_file)
        else:
            rootcause_error["message"]["errorCode"] = error_code

    def dump_error_file(self, rootcause_error_file: str, error_code: int = 0) -> None:
        """Copy the error file of a child process to the error file of this process.

        Args:
          rootcause_error_file: the error file of the child process.
          error_code: the exit code of the child process, which the copy contains.
        """
        with open(rootcause_error_file, encoding="utf-8") as file:
            error = json.load(file)
        if error_code:
            self.override_error_code_in_rootcause_data(rootcause_error_file, error, error_code)
        own = self._get_error_file_path()
        if not own:
            logger.error("no error file defined for parent, to copy child error file (%s)", rootcause_error_file)
            return
        _write(own, error)


def _write(path: str, told: dict[str, Any]) -> None:
    """Write an error file. The launcher may terminate this process at any moment, and must not find half a file."""
    with replacing(path) as file:
        file.write(json.dumps(told).encode())
