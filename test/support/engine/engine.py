"""An inference engine without a model, for tests and the demo. It speaks the API of OpenAI, and needs seconds of
computation to start: it builds tables from a seed. Each word of an answer is read from the tables, at a row that
the word before it names. So a process that gives the right answers has its tables, and one that gives them at
once after a restore was restored. `engine.ts` finds the same words without the tables."""

import argparse
import hashlib
import json
import os
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROW_BYTES = 64
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
FEWEST_WORDS, LENGTHS = 8, 17
MAX_BODY_BYTES = 16 << 20
IDLE_SECONDS = 3600

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--host", default="127.0.0.1")
options.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
options.add_argument("--model", default="engine", help="the only name of a model that it knows")
options.add_argument("--seed", default="engine", help="of the tables: another seed gives other answers")
options.add_argument("--megabytes", type=int, default=300, help="of the tables")
options.add_argument("--hashes", type=int, default=1, help="of each row, one of the other: a longer start")
options.add_argument("--token-ms", type=float, default=0, help="time that each token takes besides")
flags = options.parse_args()


def build(seed, rows):
    table = bytearray(rows * ROW_BYTES)
    # What all rows have in common is hashed once.
    common = hashlib.sha512(seed.encode() + b"\0")
    for row in range(rows):
        digest = common.copy()
        digest.update(row.to_bytes(8, "big"))
        found = digest.digest()
        for _ in range(flags.hashes - 1):
            found = hashlib.sha512(found).digest()
        table[row * ROW_BYTES : (row + 1) * ROW_BYTES] = found
    return table


began = time.monotonic()
rows = flags.megabytes * 1_000_000 // ROW_BYTES
table = build(flags.seed, rows)
start_seconds = time.monotonic() - began


class Counters:
    """What /metrics shows."""

    def __init__(self):
        self.lock = threading.Lock()
        self.requests = self.running = self.tokens = 0

    def begin(self):
        with self.lock:
            self.requests += 1
            self.running += 1

    def end(self, tokens):
        with self.lock:
            self.running -= 1
            self.tokens += tokens

    def text(self):
        return "".join(
            f"# TYPE {name} {kind}\n{name} {value}\n"
            for name, kind, value in (
                ("engine_requests_total", "counter", self.requests),
                ("engine_requests_running", "gauge", self.running),
                ("engine_tokens_total", "counter", self.tokens),
                ("engine_start_seconds", "gauge", round(start_seconds, 3)),
                ("engine_table_bytes", "gauge", len(table)),
            )
        )


counters = Counters()


def length_of(prompt):
    return FEWEST_WORDS + hashlib.sha256(prompt.encode()).digest()[8] % LENGTHS


def words(prompt, count):
    place = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:8], "big") % rows
    for _ in range(count):
        row = table[place * ROW_BYTES : (place + 1) * ROW_BYTES]
        yield "".join(letters[row[8 + i] % len(letters)] for i, letters in enumerate((CONSONANTS, VOWELS) * 2))
        place = int.from_bytes(row[:8], "big") % rows
        if flags.token_ms > 0:
            time.sleep(flags.token_ms / 1000)


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def text_of(content):
    """Of a message: a text, or parts of which some are texts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    raise Refused(400, "content must be a text or a list of parts")


def prompt_of(body, chat):
    if not chat:
        prompt = body.get("prompt")
        if isinstance(prompt, list) and len(prompt) == 1:
            prompt = prompt[0]
        if not isinstance(prompt, str):
            raise Refused(400, "prompt must be one text")
        return prompt
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(one, dict) for one in messages):
        raise Refused(400, "messages must be a list of at least one message")
    return "".join(f"{one.get('role')}: {text_of(one.get('content'))}\n" for one in messages)


class Completion:
    """One answer. The API has two forms of it, each as a whole or as a stream."""

    def __init__(self, body, chat):
        self.chat = chat
        self.prompt = prompt_of(body, chat)
        self.stream = body.get("stream") is True
        self.with_usage = (body.get("stream_options") or {}).get("include_usage") is True
        most = body.get("max_completion_tokens") or body.get("max_tokens")
        if most is not None and (not isinstance(most, int) or most < 1):
            raise Refused(400, "max_tokens must be a positive integer")
        length = length_of(self.prompt)
        self.count = length if most is None else min(length, most)
        self.finish = "stop" if self.count == length else "length"
        self.given = 0
        self.id = ("chatcmpl-" if chat else "cmpl-") + uuid.uuid4().hex
        self.created = int(time.time())

    def tokens(self):
        for word in words(self.prompt, self.count):
            self.given += 1
            yield word if self.given == 1 else " " + word

    def usage(self):
        prompt = len(self.prompt.split())
        return {"prompt_tokens": prompt, "completion_tokens": self.given, "total_tokens": prompt + self.given}

    def document(self, choices, usage, part=False):
        kind = "chat.completion" if self.chat else "text_completion"
        return {
            "id": self.id,
            "object": kind + (".chunk" if part and self.chat else ""),
            "created": self.created,
            "model": flags.model,
            "choices": choices,
            "usage": usage,
        }

    def whole(self):
        text = "".join(self.tokens())
        said = {"message": {"role": "assistant", "content": text}} if self.chat else {"text": text}
        return self.document([{"index": 0, **said, "finish_reason": self.finish, "logprobs": None}], self.usage())

    def parts(self):
        def part(delta, text, finish=None):
            said = {"delta": delta} if self.chat else {"text": text}
            return self.document([{"index": 0, **said, "finish_reason": finish, "logprobs": None}], None, part=True)

        if self.chat:
            yield part({"role": "assistant", "content": ""}, "")
        for token in self.tokens():
            yield part({"content": token}, token)
        yield part({}, "", self.finish)
        if self.with_usage:
            yield self.document([], self.usage(), part=True)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    # A token leaves at once.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/health":
            self.answer(200, b"")
        elif path == "/metrics":
            self.answer(200, counters.text().encode(), "text/plain; version=0.0.4")
        elif path == "/v1/models":
            model = {"id": flags.model, "object": "model", "created": 0, "owned_by": "engine"}
            self.document(200, {"object": "list", "data": [model]})
        else:
            self.problem(404, f"there is no {path}")

    def do_POST(self):
        try:
            self.complete()
        except Refused as refused:
            self.problem(refused.status, str(refused))
        except (BrokenPipeError, ConnectionResetError):
            # The client has left.
            self.close_connection = True

    def complete(self):
        path = self.path.partition("?")[0]
        body = self.body()
        if path not in ("/v1/chat/completions", "/v1/completions"):
            raise Refused(404, f"there is no {path}")
        if body.get("model") != flags.model:
            raise Refused(404, f"the model {body.get('model')} does not exist")
        completion = Completion(body, chat=path == "/v1/chat/completions")
        counters.begin()
        try:
            if completion.stream:
                self.events(completion)
            else:
                self.document(200, completion.whole())
        finally:
            counters.end(completion.given)

    def body(self):
        length = self.headers.get("Content-Length", "")
        # What is not read would be taken for the next request.
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            raise Refused(413 if length.isdigit() else 411, "the length of the body is not known, or too large")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except ValueError:
            raise Refused(400, "the body is not JSON")
        if not isinstance(body, dict):
            raise Refused(400, "the body is not an object")
        return body

    def events(self, completion):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in completion.parts():
            self.event(json.dumps(part))
        self.event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def event(self, text):
        data = f"data: {text}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def document(self, status, document):
        self.answer(status, json.dumps(document).encode(), "application/json")

    def problem(self, status, message):
        error = {"message": message, "type": "invalid_request_error", "param": None, "code": status}
        self.document(status, {"error": error})

    def answer(self, status, body, kind="text/plain"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that leaves is no error of the server."""


with Server((flags.host, flags.port), Handler) as server:
    print(f"ready on port {server.server_port} after {start_seconds:.1f} s", flush=True)
    server.serve_forever()
