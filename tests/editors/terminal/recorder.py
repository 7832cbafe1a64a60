"""Runs between an editor and `agent-doc serve`. Passes everything on unchanged and logs each message,
one JSON object per line.

python3 recorder.py LOG PROGRAM ARGUMENTS…
"""

import json
import os
import subprocess
import sys
import threading
import time


class Log:
    def __init__(self, path):
        self.file = open(path, "a", buffering=1, encoding="utf-8")
        self.lock = threading.Lock()

    def write(self, entry):
        with self.lock:
            self.file.write(json.dumps({"at": time.monotonic(), **entry}) + "\n")


class Messages:
    """Splits a stream of bytes into messages."""

    def __init__(self):
        self.bytes = b""

    def feed(self, more):
        self.bytes += more
        while True:
            end = self.bytes.find(b"\r\n\r\n")
            if end < 0:
                return
            length = 0
            for line in self.bytes[:end].split(b"\r\n"):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if len(self.bytes) < end + 4 + length:
                return
            body = self.bytes[end + 4 : end + 4 + length]
            self.bytes = self.bytes[end + 4 + length :]
            yield json.loads(body)


def pump(source, sink, log, sender):
    messages = Messages()
    while True:
        more = os.read(source, 65536)
        if not more:
            break
        for message in messages.feed(more):
            log.write({"from": sender, "message": message})
        try:
            while more:
                more = more[os.write(sink, more) :]
        except BrokenPipeError:
            break
    os.close(sink)


def main():
    log = Log(sys.argv[1])
    child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    log.write({"pid": child.pid})
    threading.Thread(
        target=pump, args=(0, os.dup(child.stdin.fileno()), log, "client"), daemon=True
    ).start()
    child.stdin.close()
    pump(child.stdout.fileno(), 1, log, "server")
    code = child.wait()
    log.write({"exit": code})
    os._exit(code if code >= 0 else 128 - code)


main()
