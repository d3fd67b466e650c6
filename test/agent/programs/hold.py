"""Holds what its arguments name, then waits until a signal ends it. It prints `ready` when it has all."""
import ctypes
import os
import shutil
import signal
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
held = []
# What the test's own runner left open is no part of the workload.
os.closerange(3, 1024)


def file(path):
    f = open(path, 'wb')
    f.write(b'0123456789')
    f.flush()
    held.append(f)


def removed(path):
    file(path)
    os.unlink(path)


def linked(path):
    file(path)
    os.link(path, path + '.other')
    os.unlink(path)


def unix(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    held.append(s)


def tcp(_):
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen()
    held.extend([listener, socket.create_connection(listener.getsockname()), listener.accept()])


def listen(at):
    address, _, port = at.rpartition(':')
    s = socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address or '127.0.0.1', int(port)))
    s.listen()
    held.append(s)


def uring(_):
    # The number of io_uring_setup is the same on all architectures.
    if libc.syscall(425, 8, (ctypes.c_char * 256)()) < 0:
        raise OSError(ctypes.get_errno(), 'io_uring_setup')


def inotify(path):
    os.makedirs(path, exist_ok=True)
    descriptor = libc.inotify_init1(0)
    if libc.inotify_add_watch(descriptor, path.encode(), 0x100) < 0:
        raise OSError(ctypes.get_errno(), 'inotify_add_watch')


def device(path):
    held.append(open(path, 'rb+', buffering=0))


def vsock(_):
    held.append(socket.socket(40, socket.SOCK_STREAM))


def sysv(_):
    libc.shmat.restype = ctypes.c_void_p
    libc.shmat(libc.shmget(0, 4096, 0o1600), None, 0)


def pair(_):
    held.extend(socket.socketpair())


def pipe(_):
    held.append(os.pipe())


def half(_):
    os.close(os.pipe()[0])


def terminal(_):
    held.append(os.openpty())


def userfault(_):
    # Its number on x86_64.
    if libc.syscall(323, 0) < 0:
        raise OSError(ctypes.get_errno(), 'userfaultfd')


def large(path):
    file(path)
    os.truncate(path, 2 << 30)
    os.unlink(path)


def library(path):
    shutil.copy(sys.modules['_ctypes'].__file__, path)
    held.append(ctypes.CDLL(path))
    os.unlink(path)


def detached(path):
    # A mount of its own, gone again while a file of it is open.
    os.makedirs(path)
    if libc.unshare(0x20000) or libc.mount(None, b'/', None, 0x44000, None):
        raise OSError(ctypes.get_errno(), 'unshare')
    if libc.mount(b'none', path.encode(), b'tmpfs', 0, None):
        raise OSError(ctypes.get_errno(), 'mount')
    file(path + '/file')
    libc.umount2(path.encode(), 2)


def seccomp(_):
    # One instruction: allow everything.
    program = ctypes.create_string_buffer(struct.pack('HBBI', 6, 0, 0, 0x7FFF0000))
    filters = ctypes.create_string_buffer(struct.pack('HxxxxxxP', 1, ctypes.addressof(program)))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filters):
        raise OSError(ctypes.get_errno(), 'prctl')


def unprivileged(_):
    os.setgid(65534)
    os.setuid(65534)


def inside(path):
    os.makedirs(path, exist_ok=True)
    os.chdir(path)


def removed_around(path):
    inside(path)
    os.rmdir(path)


def taken(path):
    inside(path)
    os.mkdir('proc.crtools')


def traced(_):
    if os.fork() == 0:
        libc.prctl(1, signal.SIGKILL)
        libc.ptrace(0, 0, None, None)
        signal.pause()


for argument in sys.argv[1:]:
    kind, _, value = argument.partition('=')
    globals()[kind](value)
print('ready', flush=True)
signal.pause()
