"""Run benchdb where files cannot be locked: the kernel says so, as it does on a share.

    python -m tests.store.without_locks list --db …

A network file system without a lock service answers ENOLCK. Here the kernel itself
refuses every fcntl that would set a lock, for this process alone (seccomp). Linux only.
"""

import ctypes
import errno
import fcntl
import platform
import struct
import sys

_NUMBER = {"x86_64": 72, "aarch64": 25}[platform.machine()]  # of the call fcntl
_SET_LOCK, _WAIT_FOR_LOCK = fcntl.F_SETLK, fcntl.F_SETLKW
_NO_NEW_PRIVILEGES, _SET_FILTER, _FILTER = 38, 22, 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOLCK
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06


def refuse_locks() -> None:
    steps = [
        (_LOAD, 0, 0, 0),  # number of the call
        (_EQUAL, 0, 4, _NUMBER),
        (_LOAD, 0, 0, 24),  # its second argument
        (_EQUAL, 1, 0, _SET_LOCK),
        (_EQUAL, 0, 1, _WAIT_FOR_LOCK),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    kept = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(kept))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    done = prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    done = done or prctl(_SET_FILTER, _FILTER, ctypes.create_string_buffer(program))
    assert done == 0, errno.errorcode[ctypes.get_errno()]


if __name__ == "__main__":
    refuse_locks()
    from benchdb.cli import main

    sys.argv[0] = "benchdb"
    main()
