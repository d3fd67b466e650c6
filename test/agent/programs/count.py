"""Counts in memory, in a child behind a pipe and in threads, and answers with its count on a port. A line of its
output has all of these counts, so that a restored copy shows whether each of them goes on.
"""
import os
import signal
import socket
import sys
import threading
import time
import zlib

port = int(sys.argv[1])
memory = bytearray(os.urandom(8 * 1024 * 1024))
checksum = zlib.crc32(memory)
lock = threading.Lock()
ticks = [0, 0]
signal.signal(signal.SIGTERM, lambda *_: os._exit(7))

request_read, request_write = os.pipe()
reply_read, reply_write = os.pipe()
child = os.fork()
if child == 0:
    total = 0
    while True:
        os.read(request_read, 1)
        total += 1
        os.write(reply_write, b'%8d' % total)


def tick(place):
    while True:
        with lock:
            ticks[place] += 1
        time.sleep(0.01)


for place in (0, 1):
    threading.Thread(target=tick, args=(place,), daemon=True).start()

listener = None
if port:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('127.0.0.1', port))
    listener.listen()
    port = listener.getsockname()[1]

    def answer():
        while True:
            connection = listener.accept()[0]
            connection.sendall(b'%d' % count)
            connection.close()

    threading.Thread(target=answer, daemon=True).start()

count = 0
while True:
    count += 1
    os.write(request_write, b'x')
    counted_by_child = int(os.read(reply_read, 8))
    intact = zlib.crc32(memory) == checksum
    # One write for a line: two copies share the log.
    os.write(1, b'%d %d %d %d %d %s\n' % (os.getpid(), count, counted_by_child, *ticks, b'intact' if intact else b'damaged'))
    time.sleep(0.02)
