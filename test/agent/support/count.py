"""Counts, and needs at every step what it holds: memory, files, a pipe, a child, a thread and, if it is
given a port, a listening socket. Prints a number only if all of it is as it was."""

import os
import signal
import socket
import sys
import threading
import time

memory = {number: "x" * 1000 for number in range(20000)}
path = sys.argv[1]
port = int(sys.argv[2]) if len(sys.argv) > 2 else None

# A file whose size stays, so that a later restore finds it as it was.
kept = open(path, "w+")
kept.write("%010d" % 0)
kept.flush()

# A child squares what it gets by a pipe, and answers by another one.
to_child, from_child = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    while True:
        number = int(os.read(to_child[0], 10))
        os.write(from_child[1], b"%020d" % (number * number))

counts = {"thread": 0}
step = threading.Semaphore(0)
stepped = threading.Semaphore(0)


def work():
    while True:
        step.acquire()
        counts["thread"] += 1
        stepped.release()


threading.Thread(target=work, daemon=True).start()

if port is not None:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen()

signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"notified\n"))
signal.signal(signal.SIGUSR2, lambda *_: os._exit(5))

number = 0
while True:
    number += 1
    os.write(to_child[1], b"%010d" % number)
    assert int(os.read(from_child[0], 20)) == number * number, "child"
    step.release()
    stepped.acquire()
    assert counts["thread"] == number, "thread"
    assert memory[number % 20000] == "x" * 1000, "memory"
    kept.seek(0)
    kept.write("%010d" % number)
    kept.flush()
    if port is not None:
        with socket.create_connection(("127.0.0.1", port)) as client:
            listener.accept()[0].close()
    print(number, flush=True)
    time.sleep(0.02)
