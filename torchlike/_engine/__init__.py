"""The engine: values, the trace, flushes, and the executors that run recorded operators."""

import jax

from torchlike._engine.fork import compute_with_numpy as compute_with_numpy
from torchlike._engine.fork import prepare_fork as prepare_fork
from torchlike._engine.heap import age_imported_objects as age_imported_objects
from torchlike._engine.heap import collect_less_often as _collect_less_often
from torchlike._engine.heap import keep_freed_blocks as _keep_freed_blocks
from torchlike._engine.heap import use_huge_pages as _use_huge_pages
from torchlike._engine.report.compile_counters import stats as stats
from torchlike._engine.report.explain import explain as explain
from torchlike._engine.trace.capture import repeats as repeats
from torchlike._engine.trace.capture import sampled as sampled
from torchlike._engine.trace.flush import boundary as boundary
from torchlike._engine.trace.flush import clear_cache as clear_cache
from torchlike._engine.trace.flush import concrete as concrete
from torchlike._engine.trace.flush import element as element
from torchlike._engine.trace.flush import peek as peek
from torchlike._engine.trace.flush import prelude as prelude
from torchlike._engine.trace.flush import set_executor as set_executor
from torchlike._engine.trace.flush import to_numpy as to_numpy
from torchlike._engine.trace.interrupts import uninterrupted as uninterrupted
from torchlike._engine.trace.known import at_hand as at_hand
from torchlike._engine.trace.known import when_at_hand as when_at_hand
from torchlike._engine.trace.plan import Plan as Plan
from torchlike._engine.trace.trace import record as record
from torchlike._engine.trace.trace import record_one as record_one
from torchlike._engine.trace.value import Aval as Aval
from torchlike._engine.trace.value import Live as Live
from torchlike._engine.trace.value import Size as Size
from torchlike._engine.trace.value import Value as Value
from torchlike._engine.trace.value import aval as aval
from torchlike._engine.xla import disk_cache as _disk_cache

jax.config.update("jax_enable_x64", True)
_keep_freed_blocks()
_use_huge_pages()
_collect_less_often()
_disk_cache.enable()
