"""A toy model for the guide to sleep and wake: no neural network, but a server that starts slowly. For some seconds
it computes a chain of hashes, in which nothing can be skipped. Then it answers chats of OpenAI's API, without streams,
with words that the chain chooses. Only a process that has computed the chain, or was restored, gives these words."""

import hashlib
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LINKS = 3_000_000
WORDS = "a process memory image keeps restores wakes sleeps freezes copies slowly quickly again here and then".split()
ANSWERED_WORDS = 6

chain = bytearray(LINKS)
link = b"toy"
for place in range(LINKS):
    link = hashlib.sha256(link).digest()
    chain[place] = link[0]


def answer_to(prompt):
    place = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:8], "big") % (LINKS - ANSWERED_WORDS)
    return " ".join(WORDS[number % len(WORDS)] for number in chain[place : place + ANSWERED_WORDS])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply(200 if self.path == "/health" else 404, {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = json.dumps(body["messages"])
        message = {"role": "assistant", "content": answer_to(prompt)}
        usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": ANSWERED_WORDS}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        self.reply(200, {"object": "chat.completion", "model": "toy", "choices": choices, "usage": usage})

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


# The agent chooses the port.
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
