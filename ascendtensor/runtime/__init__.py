"""The device floor: devices, streams, memory, copies, descriptions, attributes.

The names below are for the floors above that ask for figures or the state of the process; launches use the modules. `device` and `stream`
stay the modules here: the functions of those names are `device.device` and `stream.stream`.
"""

from .copies import pinned_empty
from .desc import TensorDesc
from .device import (
    Device,
    DeviceLike,
    as_device,
    backend,
    current_device,
    current_stream,
    device_count,
    generation,
    host_mode,
    initialize,
    is_initialized,
    on_shutdown,
    run_mode,
    set_device,
    shutdown,
    soc_name,
    synchronize,
)
from .memory import DeviceBuffer
from .stats import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_peak_memory_stats,
)
from .stream import Event, Stream, StreamContext

__all__ = [
    "Device",
    "DeviceBuffer",
    "DeviceLike",
    "Event",
    "Stream",
    "StreamContext",
    "TensorDesc",
    "as_device",
    "backend",
    "current_device",
    "current_stream",
    "device_count",
    "empty_cache",
    "generation",
    "host_mode",
    "initialize",
    "is_initialized",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "on_shutdown",
    "pinned_empty",
    "reset_peak_memory_stats",
    "run_mode",
    "set_device",
    "shutdown",
    "soc_name",
    "synchronize",
]
