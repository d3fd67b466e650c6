"""Serves streams on the port PORT of 127.0.0.1. The first line of a connection says what it is to be; `count`
shows the server's own memory: a secret that it drew at its start, and how often it was asked."""
import hashlib
import os
import socket
import socketserver
import struct

secret = os.urandom(8).hex()
counted = 0
CHUNK = 65536
# What the test's own runner left open is no part of the workload.
os.closerange(3, 1024)


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        kind, *values = self.rfile.readline().decode().split()
        getattr(self, kind)(*values)

    def count(self):
        global counted
        counted += 1
        self.wfile.write(f"{secret} {counted}\n".encode())

    def echo(self):
        while data := self.rfile.read1(CHUNK):
            self.wfile.write(data)

    def digest(self):
        """Answers only after the other side has ended its own stream."""
        digest = hashlib.sha256()
        while data := self.rfile.read1(CHUNK):
            digest.update(data)
        self.wfile.write(digest.hexdigest().encode())

    def source(self, size):
        data = bytes(range(256)) * (CHUNK // 256)
        for _ in range(int(size) // CHUNK):
            self.wfile.write(data)

    def reset(self):
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        os.close(self.connection.detach())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512


with Server(("127.0.0.1", int(os.environ["PORT"])), Connection) as server:
    print("listening", flush=True)
    server.serve_forever()
