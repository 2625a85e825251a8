"""The numbers of ACL under their names: data types, formats, flags and error codes.

``acl`` exports no constants (README of pyACL: "programs write the integers"), so they are written down here once, for
the binding and for the simulator. Values are those of the acl headers of CANN 8.1.RC1; what only newer headers have says so. Where
such a name exists in both it has the same value in both.

Members are ``int``: ``DataType.FLOAT == 0`` and they can be handed to pyACL after ``int(...)`` (PY-2 refuses only other types).
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Final

__all__ = [
    "CallbackBlockType",
    "DataType",
    "ErrorCode",
    "EventFlag",
    "EventRecordedStatus",
    "EventStatus",
    "EventWaitStatus",
    "FailureMode",
    "Format",
    "MallocPolicy",
    "MemAttr",
    "MemcpyKind",
    "Placement",
    "RunMode",
    "StreamStatus",
    "data_type_size",
    "error_meaning",
    "error_name",
]


class DataType(IntEnum):
    """Element types of a tensor description (``aclDataType``)."""

    UNDEFINED = -1  # absent optional input (TD-21)
    FLOAT = 0
    FLOAT16 = 1
    INT8 = 2
    INT32 = 3
    UINT8 = 4
    INT16 = 6
    UINT16 = 7
    UINT32 = 8
    INT64 = 9
    UINT64 = 10
    DOUBLE = 11
    BOOL = 12
    STRING = 13
    COMPLEX64 = 16
    COMPLEX128 = 17
    BF16 = 27
    INT4 = 29  # packed in memory, one byte in data_type_size
    UINT1 = 30  # packed in memory, one byte in data_type_size
    COMPLEX32 = 33  # two halves
    HIFLOAT8 = 34  # newer than CANN 8.1.RC1
    FLOAT8_E5M2 = 35  # newer than CANN 8.1.RC1
    FLOAT8_E4M3FN = 36  # newer than CANN 8.1.RC1
    FLOAT8_E8M0 = 37  # newer than CANN 8.1.RC1
    FLOAT6_E3M2 = 38  # newer than CANN 8.1.RC1
    FLOAT6_E2M3 = 39  # newer than CANN 8.1.RC1
    FLOAT4_E2M1 = 40  # newer than CANN 8.1.RC1
    FLOAT4_E1M2 = 41  # newer than CANN 8.1.RC1


class Format(IntEnum):
    """Layouts of a tensor description (``aclFormat``). ``ND`` is plain row-major of any rank."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47
    FRACTAL_NZ_C0_16 = 50
    FRACTAL_NZ_C0_32 = 51
    FRACTAL_NZ_C0_2 = 52
    FRACTAL_NZ_C0_4 = 53
    FRACTAL_NZ_C0_8 = 54


class MemcpyKind(IntEnum):
    """Direction of ``acl.rt.memcpy``; 6 and 7 belong to memcpy descriptors only (GEN-4)."""

    HOST_TO_HOST = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3
    DEFAULT = 4
    HOST_TO_BUF_TO_DEVICE = 5
    INNER_DEVICE_TO_DEVICE = 6
    INTER_DEVICE_TO_DEVICE = 7


class MallocPolicy(IntEnum):
    """Page choice of ``acl.rt.malloc``; any other value acts as the default (RT-28)."""

    HUGE_FIRST = 0
    HUGE_ONLY = 1
    NORMAL_ONLY = 2
    HUGE_FIRST_P2P = 3
    HUGE_ONLY_P2P = 4
    NORMAL_ONLY_P2P = 5
    HUGE1G_ONLY = 6
    HUGE1G_ONLY_P2P = 7
    TYPE_LOW_BAND_WIDTH = 256
    TYPE_HIGH_BAND_WIDTH = 4096
    ACCESS_USER_SPACE_READONLY = 1048576


class Placement(IntEnum):
    """Where the buffer of a description lies (``aclMemType``, TD-19)."""

    DEVICE = 0
    HOST = 1
    HOST_COMPILE_INDEPENDENT = 2


class RunMode(IntEnum):
    """What ``acl.rt.get_run_mode`` answers: the program runs on the board (DEVICE) or on a host with a card."""

    DEVICE = 0
    HOST = 1


class EventStatus(IntEnum):
    """Old event status, of ``query_event``: 0 is done (GEN-4)."""

    COMPLETE = 0
    NOT_READY = 1
    RESERVED = 2


class EventRecordedStatus(IntEnum):
    """New event status, of ``query_event_status``: 1 is done, the opposite of the old one (GEN-4)."""

    NOT_READY = 0
    COMPLETE = 1


class EventWaitStatus(IntEnum):
    """Answer of ``query_event_wait_status``."""

    COMPLETE = 0
    NOT_READY = 1
    RESERVED = 65535


class StreamStatus(IntEnum):
    """Answer of ``stream_query`` (RT-25)."""

    COMPLETE = 0
    NOT_READY = 1
    RESERVED = 65535


class EventFlag(IntFlag):
    """Bits of ``create_event_with_flag`` and ``create_event_ex_with_flag``."""

    SYNC = 1
    CAPTURE_STREAM_PROGRESS = 2
    TIME_LINE = 8
    DEVICE_USE_ONLY = 16
    EXTERNAL = 32
    IPC = 64


class FailureMode(IntEnum):
    """What a stream does after a failed task (``set_stream_failure_mode``)."""

    CONTINUE_ON_FAILURE = 0
    STOP_ON_FAILURE = 1


class CallbackBlockType(IntEnum):
    """Whether a queued callback holds back the work behind it."""

    NO_BLOCK = 0
    BLOCK = 1


class MemAttr(IntEnum):
    """Which memory ``acl.rt.get_mem_info`` reports on (``aclrtMemAttr``)."""

    DDR_MEM = 0
    HBM_MEM = 1
    DDR_MEM_HUGE = 2
    DDR_MEM_NORMAL = 3
    HBM_MEM_HUGE = 4
    HBM_MEM_NORMAL = 5
    DDR_MEM_P2P_HUGE = 6
    DDR_MEM_P2P_NORMAL = 7
    HBM_MEM_P2P_HUGE = 8
    HBM_MEM_P2P_NORMAL = 9
    HBM_MEM_HUGE1G = 10
    HBM_MEM_P2P_HUGE1G = 11
    MEM_NORMAL = 12
    MEM_HUGE = 13
    MEM_HUGE1G = 14
    MEM_P2P_NORMAL = 15
    MEM_P2P_HUGE = 16
    MEM_P2P_HUGE1G = 17


class ErrorCode(IntEnum):
    """Every code ACL, the runtime and the graph engine are known to return, each with what it means.

    The C name is ``ACL_ERROR_`` before the member's name. The first digit tells whose fault it was (GEN-1): 1 the caller's or the
    environment's, 2 a resource ran short, 3 business, 5 internal.

    Attributes:
        meaning: What the code says, in one line.
    """

    meaning: str

    def __new__(cls, value: int, meaning: str = "") -> ErrorCode:
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    # success
    NONE = 0, "success"

    # acl: caller error
    INVALID_PARAM = 100000, "an argument is wrong: null handle, size 0, value outside the range"
    UNINITIALIZE = 100001, "acl.init was not called or failed"
    REPEAT_INITIALIZE = 100002, "acl.init (or another once-only setup such as op.set_model_dir) called twice"
    INVALID_FILE = 100003, "file cannot be opened or is unacceptable"
    WRITE_FILE = 100004, "writing a file failed"
    INVALID_FILE_SIZE = 100005, "file size is unacceptable"
    PARSE_FILE = 100006, "file content (usually JSON) cannot be parsed"
    FILE_MISSING_ATTR = 100007, "a required key is missing in the file"
    FILE_ATTR_INVALID = 100008, "a key in the file has a bad value"
    INVALID_DUMP_CONFIG = 100009, "dump section of the configuration is wrong"
    INVALID_PROFILING_CONFIG = 100010, "profiling section of the configuration is wrong"
    INVALID_MODEL_ID = 100011, "model id is unknown"
    DESERIALIZE_MODEL = 100012, "model bytes cannot be decoded"
    PARSE_MODEL = 100013, "model cannot be parsed"
    READ_MODEL_FAILURE = 100014, "reading model files failed, for example a bad directory in op.set_model_dir"
    MODEL_SIZE_INVALID = 100015, "model size is unacceptable"
    MODEL_MISSING_ATTR = 100016, "the model lacks a needed attribute"
    MODEL_INPUT_NOT_MATCH = 100017, "inputs do not fit the model"
    MODEL_OUTPUT_NOT_MATCH = 100018, "outputs do not fit the model"
    MODEL_NOT_DYNAMIC = 100019, "a dynamic-shape call was made for a fixed-shape model"
    OP_TYPE_NOT_MATCH = 100020, "operator type differs from the loaded one"
    OP_INPUT_NOT_MATCH = 100021, "operator inputs (count or description) differ"
    OP_OUTPUT_NOT_MATCH = 100022, "operator outputs (count or description) differ"
    OP_ATTR_NOT_MATCH = 100023, "operator attributes differ"
    OP_NOT_FOUND = 100024, "no loaded or registered single-op model fits the request"
    OP_LOAD_FAILED = 100025, "loading the operator failed"
    UNSUPPORTED_DATA_TYPE = 100026, "data type is not supported here"
    FORMAT_NOT_MATCH = 100027, "format does not fit"
    BIN_SELECTOR_NOT_REGISTERED = 100028, "no compile function is registered for this operator"
    KERNEL_NOT_FOUND = 100029, "kernel id is not registered"
    BIN_SELECTOR_ALREADY_REGISTERED = 100030, "a compile function already exists for this operator"
    KERNEL_ALREADY_REGISTERED = 100031, "kernel id already exists"
    INVALID_QUEUE_ID = 100032, "queue id is unknown"
    REPEAT_SUBSCRIBE = 100033, "subscribed twice"
    STREAM_NOT_SUBSCRIBE = 100034, "stream has no subscription (old code, see 107015)"
    THREAD_NOT_SUBSCRIBE = 100035, "thread has no subscription (old code, see 107012)"
    WAIT_CALLBACK_TIMEOUT = 100036, "no callback arrived in time (old code, see 507012)"
    REPEAT_FINALIZE = 100037, "acl.finalize called without a matching init"
    NOT_STATIC_AIPP = 100038, "the model input has no static image preprocessing"
    COMPILING_STUB_MODE = 100039, "the program is linked with stub libraries instead of the real ones"
    GROUP_NOT_SET = 100040, "no compute group chosen (old code, see 107013)"
    GROUP_NOT_CREATE = 100041, "compute group information not created (old code, see 107014)"
    PROF_ALREADY_RUN = 100042, "profiling already started"
    PROF_NOT_RUN = 100043, "profiling was not started"
    DUMP_ALREADY_RUN = 100044, "dump already started"
    DUMP_NOT_RUN = 100045, "dump was not started"

    # runtime: caller error
    RT_PARAM_INVALID = 107000, "runtime refuses an argument; also the driver answer to a bad address"
    RT_INVALID_DEVICEID = 107001, "device number outside 0..count-1"
    RT_CONTEXT_NULL = 107002, "no context on this thread, or the context is not valid any more"
    RT_STREAM_CONTEXT = 107003, "stream belongs to another context"
    RT_MODEL_CONTEXT = 107004, "model belongs to another context"
    RT_STREAM_MODEL = 107005, "stream is not bound to that model"
    RT_EVENT_TIMESTAMP_INVALID = 107006, "event has no usable time stamp"
    RT_EVENT_TIMESTAMP_REVERSAL = 107007, "end event is earlier than start event"
    RT_ADDR_UNALIGNED = 107008, "address is not aligned"
    RT_FILE_OPEN = 107009, "opening a file failed"
    RT_FILE_WRITE = 107010, "writing a file failed"
    RT_STREAM_SUBSCRIBE = 107011, "stream is already subscribed, or was not when it should be"
    RT_THREAD_SUBSCRIBE = 107012, "thread has no subscription, or one that clashes"
    RT_GROUP_NOT_SET = 107013, "no compute group chosen"
    RT_GROUP_NOT_CREATE = 107014, "compute group information not created"
    RT_STREAM_NO_CB_REG = 107015, "launch_callback on a stream that no thread is subscribed to"
    RT_INVALID_MEMORY_TYPE = 107016, "memory type is wrong"
    RT_INVALID_HANDLE = 107017, "handle is not valid"
    RT_INVALID_MALLOC_TYPE = 107018, "allocation type is wrong"
    RT_WAIT_TIMEOUT = 107019, "waiting took too long"
    RT_TASK_TIMEOUT = 107020, "a task took too long"
    RT_SYSPARAMOPT_NOT_SET = 107021, "system option was never set, so it cannot be read"
    RT_DEVICE_TASK_ABORT = 107022, "tasks of the device are being aborted"
    RT_STREAM_ABORT = 107023, "tasks of the stream are being aborted"
    RT_CAPTURE_DEPENDENCY = 107024, "graph capture: task depends on something that is not captured"
    RT_STREAM_UNJOINED = 107025, "graph capture: another stream was not joined back"
    RT_MODEL_CAPTURED = 107026, "model is being captured"
    RT_STREAM_CAPTURED = 107027, "stream is being captured"
    RT_EVENT_CAPTURED = 107028, "event is being captured"
    RT_STREAM_NOT_CAPTURED = 107029, "stream is not being captured"
    RT_CAPTURE_MODE_NOT_SUPPORT = 107030, "call is not allowed in this capture mode"
    RT_STREAM_CAPTURE_IMPLICIT = 107031, "default stream used while capturing"
    STREAM_CAPTURE_CONFLICT = 107032, "two captures clash"
    STREAM_TASK_GROUP_STATUS = 107033, "task group of the stream is in the wrong state"
    STREAM_TASK_GROUP_INTR = 107034, "task group record was interrupted"
    RT_TASK_ABORT_STOP = 107035, "task abort process was stopped"
    RT_STREAM_CAPTURE_UNMATCHED = 107036, "capture begin and end do not match"
    RT_MODEL_RUNNING = 107037, "captured model is running"
    RT_STREAM_CAPTURE_WRONG_THREAD = 107038, "capture ended on another thread"
    RT_INSUFFICIENT_INPUT_ARRAY = 107039, "array given by the caller is too small"
    RT_MODEL_UPDATE_FAILED = 107040, "updating the captured model failed"
    RT_SYMBOL_NOT_FOUND = 107042, "symbol does not exist"
    RT_INVALID_SYMBOL = 107043, "symbol is not valid"
    RT_INVALID_DEVICE_FUNCTION = 107044, "device function is not valid"
    RT_SUB_ACLGRAPH_IS_CAPTURING = 107045, "a nested graph is being captured"

    # graph engine: caller error
    GE_PARAM_INVALID = 145000, "graph engine refuses an argument"
    GE_EXEC_NOT_INIT = 145001, "graph executor is not set up"
    GE_EXEC_MODEL_PATH_INVALID = 145002, "model file is missing, empty or unreadable"
    GE_EXEC_MODEL_ID_INVALID = 145003, "model id is unknown"
    GE_EXEC_MODEL_DATA_SIZE_INVALID = 145006, "model length is wrong"
    GE_EXEC_MODEL_ADDR_INVALID = 145007, "model address is wrong"
    GE_EXEC_MODEL_QUEUE_ID_INVALID = 145008, "model queue id is wrong"
    GE_EXEC_LOAD_MODEL_REPEATED = 145009, "model was loaded before"
    GE_DYNAMIC_INPUT_ADDR_INVALID = 145011, "address of the gear input is wrong"
    GE_DYNAMIC_INPUT_LENGTH_INVALID = 145012, "buffer of the gear input is too small"
    GE_DYNAMIC_BATCH_SIZE_INVALID = 145013, "batch or resolution is not one of the gears"
    GE_AIPP_BATCH_EMPTY = 145014, "image preprocessing batch is empty"
    GE_AIPP_NOT_EXIST = 145015, "model has no image preprocessing"
    GE_AIPP_MODE_INVALID = 145016, "image preprocessing mode is wrong"
    GE_OP_TASK_TYPE_INVALID = 145017, "operator task type is wrong"
    GE_OP_KERNEL_TYPE_INVALID = 145018, "operator kernel type is wrong"
    GE_PLGMGR_PATH_INVALID = 145019, "plugin path is wrong"
    GE_FORMAT_INVALID = 145020, "format is wrong"
    GE_SHAPE_INVALID = 145021, "shape is wrong"
    GE_DATATYPE_INVALID = 145022, "data type is wrong"

    # acl: caller error
    PROF_REPEAT_SUBSCRIBE = 148046, "model already has a profiling subscription"
    PROF_API_CONFLICT = 148047, "two kinds of profiling calls clash"
    INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048, "max_opqueue_num in the configuration is wrong"
    INVALID_OPP_PATH = 148049, "operator package path (ASCEND_OPP_PATH) is missing or wrong"
    OP_UNSUPPORTED_DYNAMIC = 148050, "the operator has no dynamic-shape support"
    RELATIVE_RESOURCE_NOT_CLEARED = 148051, "a resource that depends on this one still exists"
    UNSUPPORTED_JPEG = 148052, "this JPEG encoding is not supported"
    INVALID_BUNDLE_MODEL_ID = 148053, "bundle id is unknown"

    # acl: resource or support
    BAD_ALLOC = 200000, "host memory exhausted"
    API_NOT_SUPPORT = 200001, "the call is not supported in this build or on this chip"
    INVALID_DEVICE = 200002, "device is not usable"
    MEMORY_ADDRESS_UNALIGNED = 200003, "address is not aligned"
    RESOURCE_NOT_MATCH = 200004, "resources do not belong together"
    INVALID_RESOURCE_HANDLE = 200005, "handle is not valid"
    FEATURE_UNSUPPORTED = 200006, "feature is not supported"
    PROF_MODULES_UNSUPPORTED = 200007, "requested profiling modules are not supported"

    # runtime: resource or support
    RT_FEATURE_NOT_SUPPORT = 207000, "chip or runtime does not support this use (for example async host-to-host copy)"
    RT_MEMORY_ALLOCATION = 207001, "device memory exhausted"
    RT_MEMORY_FREE = 207002, "releasing memory failed"
    RT_AICORE_OVER_FLOW = 207003, "AI Core arithmetic overflow"
    RT_NO_DEVICE = 207004, "no device available"
    RT_RESOURCE_ALLOC_FAIL = 207005, "getting a resource failed"
    RT_NO_PERMISSION = 207006, "permission denied"
    RT_NO_EVENT_RESOURCE = 207007, "no event left"
    RT_NO_STREAM_RESOURCE = 207008, "no stream left"
    RT_NO_NOTIFY_RESOURCE = 207009, "no notify left"
    RT_NO_MODEL_RESOURCE = 207010, "no model slot left"
    RT_NO_CDQ_RESOURCE = 207011, "no cdq left"
    RT_OVER_LIMIT = 207012, "more than the allowed number"
    RT_QUEUE_EMPTY = 207013, "queue is empty"
    RT_QUEUE_FULL = 207014, "queue is full"
    RT_REPEATED_INIT = 207015, "initialised twice"
    RT_AIVEC_OVER_FLOW = 207016, "Vector Core arithmetic overflow"
    RT_OVER_FLOW = 207017, "arithmetic overflow"
    RT_DEVICE_OOM = 207018, "device ran out of memory"
    RT_FEATURE_NOT_SUPPORT_UPDATE_OP = 207019, "this operator cannot be updated in a captured graph"
    RT_TIMEOUT = 207020, "timed out"
    RT_LINK_TYPE_NOT_SUPPORTED = 207021, "link type is not supported"

    # graph engine: resource or support
    GE_MEMORY_ALLOCATION = 245000, "memory exhausted in the graph engine"
    GE_MEMORY_OPERATE_FAILED = 245001, "memory operation failed"
    GE_DEVICE_MEMORY_OPERATE_FAILED = 245002, "device memory operation failed"

    # acl: limit
    STORAGE_OVER_LIMIT = 300000, "storage limit exceeded"

    # graph engine: limit
    GE_SUBHEALTHY = 345102, "deployment is degraded"
    GE_USER_RAISE_EXCEPTION = 345103, "user code raised an exception"
    GE_DATA_NOT_ALIGNED = 345104, "data are not aligned"

    # acl: internal
    INTERNAL_ERROR = 500000, "unknown internal failure"
    FAILURE = 500001, "internal failure of the acl layer"

    # graph engine: internal
    GE_FAILURE = 500002, "internal failure of the graph engine"

    # acl: internal
    RT_FAILURE = 500003, "internal failure of the runtime"
    DRV_FAILURE = 500004, "internal failure of the driver"
    PROFILING_FAILURE = 500005, "internal failure of profiling"

    # runtime: internal
    RT_INTERNAL_ERROR = 507000, "internal runtime failure; also elapsed time of an unrecorded event"
    RT_TS_ERROR = 507001, "task scheduler failure"
    RT_STREAM_TASK_FULL = 507002, "task queue of the stream is full"
    RT_STREAM_TASK_EMPTY = 507003, "task queue of the stream is empty"
    RT_STREAM_NOT_COMPLETE = 507004, "stream still has work"
    RT_END_OF_SEQUENCE = 507005, "end of the input sequence"
    RT_EVENT_NOT_COMPLETE = 507006, "event has not happened"
    RT_CONTEXT_RELEASE_ERROR = 507007, "context could not be released; also reset_device without a matching set_device"
    RT_SOC_VERSION = 507008, "chip version is wrong"
    RT_TASK_TYPE_NOT_SUPPORT = 507009, "task type is not supported"
    RT_LOST_HEARTBEAT = 507010, "device stopped answering"
    RT_MODEL_EXECUTE = 507011, "model run failed"
    RT_REPORT_TIMEOUT = 507012, "process_report saw no callback in time, or a device report is late"
    RT_SYS_DMA = 507013, "system DMA failure"
    RT_AICORE_TIMEOUT = 507014, "AI Core task took too long"
    RT_AICORE_EXCEPTION = 507015, "AI Core task failed"
    RT_AICORE_TRAP_EXCEPTION = 507016, "AI Core trap"
    RT_AICPU_TIMEOUT = 507017, "AI CPU task took too long"
    RT_AICPU_EXCEPTION = 507018, "AI CPU task failed"
    RT_AICPU_DATADUMP_RSP_ERR = 507019, "AI CPU gave a bad answer to a dump request"
    RT_AICPU_MODEL_RSP_ERR = 507020, "AI CPU gave a bad answer to a model request"
    RT_PROFILING_ERROR = 507021, "profiling failure"
    RT_IPC_ERROR = 507022, "inter-process communication failure"
    RT_MODEL_ABORT_NORMAL = 507023, "model was stopped on purpose"
    RT_KERNEL_UNREGISTERING = 507024, "kernel is being unregistered"
    RT_RINGBUFFER_NOT_INIT = 507025, "ring buffer is not set up"
    RT_RINGBUFFER_NO_DATA = 507026, "ring buffer is empty"
    RT_KERNEL_LOOKUP = 507027, "kernel not found"
    RT_KERNEL_DUPLICATE = 507028, "kernel registered twice"
    RT_DEBUG_REGISTER_FAIL = 507029, "registering debug failed"
    RT_DEBUG_UNREGISTER_FAIL = 507030, "unregistering debug failed"
    RT_LABEL_CONTEXT = 507031, "label belongs to another context"
    RT_PROGRAM_USE_OUT = 507032, "too many registered programs"
    RT_DEV_SETUP_ERROR = 507033, "opening the device failed"
    RT_VECTOR_CORE_TIMEOUT = 507034, "Vector Core task took too long"
    RT_VECTOR_CORE_EXCEPTION = 507035, "Vector Core task failed"
    RT_VECTOR_CORE_TRAP_EXCEPTION = 507036, "Vector Core trap"
    RT_CDQ_BATCH_ABNORMAL = 507037, "cdq batch failure"
    RT_DIE_MODE_CHANGE_ERROR = 507038, "die mode cannot be changed"
    RT_DIE_SET_ERROR = 507039, "die cannot be chosen in this mode"
    RT_INVALID_DIEID = 507040, "die number is wrong"
    RT_DIE_MODE_NOT_SET = 507041, "die mode was not set"
    RT_AICORE_TRAP_READ_OVERFLOW = 507042, "AI Core read outside its memory"
    RT_AICORE_TRAP_WRITE_OVERFLOW = 507043, "AI Core wrote outside its memory"
    RT_VECTOR_CORE_TRAP_READ_OVERFLOW = 507044, "Vector Core read outside its memory"
    RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW = 507045, "Vector Core wrote outside its memory"
    RT_STREAM_SYNC_TIMEOUT = 507046, "synchronize_*_with_timeout on a stream or device expired"
    RT_EVENT_SYNC_TIMEOUT = 507047, "synchronize_event_with_timeout expired"
    RT_FFTS_PLUS_TIMEOUT = 507048, "ffts+ task took too long"
    RT_FFTS_PLUS_EXCEPTION = 507049, "ffts+ task failed"
    RT_FFTS_PLUS_TRAP_EXCEPTION = 507050, "ffts+ trap"
    RT_SEND_MSG = 507051, "sending a message failed"
    RT_COPY_DATA = 507052, "copying data failed"
    RT_DEVICE_MEM_ERROR = 507053, "device memory fault that may be limited to some addresses"
    RT_HBM_MULTI_BIT_ECC_ERROR = 507054, "uncorrectable device memory error"
    RT_SUSPECT_DEVICE_MEM_ERROR = 507055, "probable device memory fault"
    RT_LINK_ERROR = 507056, "link failure"
    RT_SUSPECT_REMOTE_ERROR = 507057, "probable fault on the remote side"
    RT_DRV_INTERNAL_ERROR = 507899, "internal driver failure"
    RT_AICPU_INTERNAL_ERROR = 507900, "internal AI CPU failure"
    RT_SOCKET_CLOSE = 507901, "connection between host and device closed"
    RT_AICPU_INFO_LOAD_RSP_ERR = 507902, "AI CPU gave a bad answer to a load request"
    RT_STREAM_CAPTURE_INVALIDATED = 507903, "capture was spoiled by an earlier mistake"
    RT_COMM_OP_RETRY_FAIL = 507904, "communication operator failed after retries"
    SNAPSHOT_LOCK_TIMEOUT = 507905, "process snapshot: lock took too long"
    SNAPSHOT_LOCK_FAILED = 507906, "process snapshot: lock failed"
    SNAPSHOT_UNLOCK_FAILED = 507907, "process snapshot: unlock failed"
    SNAPSHOT_BACKUP_FAILED = 507908, "process snapshot: saving failed"
    SNAPSHOT_RESTORE_FAILED = 507909, "process snapshot: restoring failed"
    HOST_MEMORY_ALREADY_REGISTERED = 507910, "host memory is registered already"
    HOST_MEMORY_NOT_REGISTERED = 507911, "host memory is not registered"
    SNAPSHOT_CALLBACK_FAILED = 507912, "process snapshot: user callback failed"
    SNAPSHOT_REGISTER_CALLBACK_FAILED = 507913, "process snapshot: registering a callback failed"
    RT_L3_PORT_ERROR = 507914, "L3 port failure"
    RT_CCU_TIMEOUT = 507915, "ccu task took too long"
    RT_CCU_EXCEPTION = 507916, "ccu task failed"

    # graph engine: internal
    GE_INTERNAL_ERROR = 545000, "internal graph engine failure"
    GE_LOAD_MODEL = 545001, "loading the model failed"
    GE_EXEC_LOAD_MODEL_PARTITION_FAILED = 545002, "model section cannot be read"
    GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED = 545003, "weight section cannot be read"
    GE_EXEC_LOAD_TASK_PARTITION_FAILED = 545004, "task section cannot be read"
    GE_EXEC_LOAD_KERNEL_PARTITION_FAILED = 545005, "kernel section cannot be read"
    GE_EXEC_RELEASE_MODEL_DATA = 545006, "releasing the model data failed"
    GE_COMMAND_HANDLE = 545007, "handling a command failed"
    GE_GET_TENSOR_INFO = 545008, "tensor information cannot be read"
    GE_UNLOAD_MODEL = 545009, "unloading the model failed"
    GE_MODEL_EXECUTE_TIMEOUT = 545601, "model run took too long"
    GE_REDEPLOYING = 545602, "model is being deployed again"


_SIZES: Final[dict[int, int]] = {
    **dict.fromkeys((DataType.UNDEFINED, DataType.STRING), 0),
    **dict.fromkeys((DataType.BOOL, DataType.INT8, DataType.UINT8, DataType.INT4, DataType.UINT1), 1),
    **dict.fromkeys((DataType.HIFLOAT8, DataType.FLOAT8_E5M2, DataType.FLOAT8_E4M3FN, DataType.FLOAT8_E8M0), 1),
    **dict.fromkeys((DataType.FLOAT16, DataType.BF16, DataType.INT16, DataType.UINT16), 2),
    **dict.fromkeys((DataType.FLOAT, DataType.INT32, DataType.UINT32, DataType.COMPLEX32), 4),
    DataType.COMPLEX128: 16,
}

_RANGES: Final[dict[int, str]] = {
    1: "an error of the caller or the environment",
    2: "a resource ran short or is not supported",
    3: "a business error",
    5: "an internal error of the driver or the software stack",
}


def data_type_size(code: int) -> int:
    """Bytes of one element as ``acl.data_type_size`` answers: packed types count 1, unknown numbers 8 (TD-7)."""
    return _SIZES.get(code, 8)


def error_name(code: int) -> str:
    """C name of an error code, such as ``ACL_ERROR_INVALID_PARAM``; ``unknown code`` for a number in no header."""
    try:
        return "ACL_ERROR_" + ErrorCode(code).name
    except ValueError:
        return "unknown code"


def error_meaning(code: int) -> str:
    """One line on what an error code says; for a number in no header, whose fault its range stands for (GEN-1)."""
    try:
        return ErrorCode(code).meaning
    except ValueError:
        return _RANGES.get(code // 100000, "not a code of ACL")
