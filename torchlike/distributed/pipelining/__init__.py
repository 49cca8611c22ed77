"""Pipeline parallelism: a model is divided into stages, and a schedule runs microbatches through them."""

from ._IR import Pipe as Pipe
from ._IR import SplitPoint as SplitPoint
from ._IR import pipe_split as pipe_split
from ._IR import pipeline as pipeline
from .schedules import Schedule1F1B as Schedule1F1B
from .schedules import ScheduleDualPipeV as ScheduleDualPipeV
from .schedules import ScheduleGPipe as ScheduleGPipe
from .schedules import ScheduleInterleaved1F1B as ScheduleInterleaved1F1B
from .schedules import ScheduleInterleavedZeroBubble as ScheduleInterleavedZeroBubble
from .schedules import ScheduleLoopedBFS as ScheduleLoopedBFS
from .schedules import ScheduleZBVZeroBubble as ScheduleZBVZeroBubble
from .schedules import _ScheduleForwardOnly as _ScheduleForwardOnly
from .stage import PipelineStage as PipelineStage
from .stage import build_stage as build_stage
