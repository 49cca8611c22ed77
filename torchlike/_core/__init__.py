"""The engine: values, the trace, boundaries, and the executors that run recorded work."""

import jax

from torchlike._core import disk_cache as _disk_cache
from torchlike._core.at_hand import at_hand as at_hand
from torchlike._core.at_hand import when_at_hand as when_at_hand
from torchlike._core.capture import drawn as drawn
from torchlike._core.capture import repeats as repeats
from torchlike._core.explain import explain as explain
from torchlike._core.heap import age_imported_objects as age_imported_objects
from torchlike._core.heap import keep_freed_blocks as _keep_freed_blocks
from torchlike._core.interrupts import uninterrupted as uninterrupted
from torchlike._core.notices import quiet_jax as _quiet_jax
from torchlike._core.plan import Plan as Plan
from torchlike._core.run import boundary as boundary
from torchlike._core.run import clear_cache as clear_cache
from torchlike._core.run import concrete as concrete
from torchlike._core.run import element as element
from torchlike._core.run import peek as peek
from torchlike._core.run import prelude as prelude
from torchlike._core.run import set_executor as set_executor
from torchlike._core.run import to_numpy as to_numpy
from torchlike._core.stats import stats as stats
from torchlike._core.trace import record as record
from torchlike._core.trace import record_one as record_one
from torchlike._core.value import Aval as Aval
from torchlike._core.value import Live as Live
from torchlike._core.value import Size as Size
from torchlike._core.value import Value as Value
from torchlike._core.value import aval as aval

jax.config.update("jax_enable_x64", True)
_quiet_jax()
_keep_freed_blocks()
_disk_cache.enable()
