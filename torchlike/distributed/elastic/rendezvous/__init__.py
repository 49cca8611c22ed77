"""How launchers of several machines meet: the interface of handlers, their errors and options."""

from .api import RendezvousClosedError as RendezvousClosedError
from .api import RendezvousConnectionError as RendezvousConnectionError
from .api import RendezvousError as RendezvousError
from .api import RendezvousGracefulExitError as RendezvousGracefulExitError
from .api import RendezvousHandler as RendezvousHandler
from .api import RendezvousHandlerCreator as RendezvousHandlerCreator
from .api import RendezvousHandlerRegistry as RendezvousHandlerRegistry
from .api import RendezvousInfo as RendezvousInfo
from .api import RendezvousParameters as RendezvousParameters
from .api import RendezvousStateError as RendezvousStateError
from .api import RendezvousStoreInfo as RendezvousStoreInfo
from .api import RendezvousTimeoutError as RendezvousTimeoutError
from .registry import rendezvous_handler_registry as rendezvous_handler_registry
