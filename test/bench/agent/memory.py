"""Holds so many MiB of memory, a quarter of it random, then waits until a signal ends it."""
import os
import signal
import struct
import sys

PAGE = 4096
held = bytearray(int(sys.argv[1]) << 20)
random = os.urandom(1 << 20)
for number, at in enumerate(range(0, len(held), PAGE)):
    start = number * 1024 % len(random)
    held[at:at + 1024] = random[start:start + 1024]
    held[at + 1024:at + PAGE] = struct.pack('<QQQQ', number, number * 7, 1, at) * ((PAGE - 1024) // 32)
print('ready', flush=True)
signal.pause()
