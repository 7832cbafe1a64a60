"""Reads the messages between the editor and the server from the recorder's log: the text that the
server knows, and counts."""

import json


class Wire:
    def __init__(self, path):
        self.path = path
        self.read_to = 0
        self.texts = {}  # by URI
        self.methods = []  # (sender, method, params) of requests and notifications
        self.edits = 0
        self.refused = 0
        self.pids = []
        self._edit_ids = {}  # requests of the server that wait for an answer
        # Helix counts versions one by one and may send two changes in the wrong order.
        self._by_one = False
        self._versions = {}
        self._early = {}  # changes by (URI, version)
        self._forgotten = set()

    def read(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                file.seek(self.read_to)
                while True:
                    line = file.readline()
                    if not line.endswith("\n"):
                        return self
                    self.read_to = file.tell()
                    self._take(json.loads(line))
        except FileNotFoundError:
            return self

    def forget_texts(self):
        """Called after the client ended. Its last messages may still be read, but do not count until the
        document is opened again."""
        self._forgotten |= self.texts.keys()
        self.texts.clear()

    def text(self, name):
        """Returns the text of the document whose URI ends with `name`, or None if it is not open."""
        self.read()
        for uri, text in self.texts.items():
            if uri.endswith("/" + name):
                return text
        return None

    def has(self, method, piece=""):
        self.read()
        return any(
            said == method and piece in json.dumps(params, ensure_ascii=False)
            for _, said, params in self.methods
        )

    def count(self, method, piece=""):
        self.read()
        return sum(
            said == method and piece in json.dumps(params, ensure_ascii=False)
            for _, said, params in self.methods
        )

    def waits_for_answer(self):
        return bool(self.read()._edit_ids)

    def _take(self, entry):
        if "pid" in entry:
            self.pids.append(entry["pid"])
            self._edit_ids.clear()
        message = entry.get("message")
        if message is None:
            return
        method = message.get("method")
        if method is None:
            self._answer(entry["from"], message)
            return
        params = message.get("params")
        self.methods.append((entry["from"], method, params))
        if method == "workspace/applyEdit":
            self.edits += 1
            self._edit_ids[message["id"]] = True
        elif method == "textDocument/didOpen":
            uri = params["textDocument"]["uri"]
            self.texts[uri] = params["textDocument"]["text"]
            self._forgotten.discard(uri)
            self._versions[uri] = params["textDocument"]["version"]
            self._early.clear()
        elif method == "textDocument/didChange":
            self._change(params)
        elif method == "initialize":
            self._by_one = (params.get("clientInfo") or {}).get("name") == "helix"

    def _change(self, params):
        uri, version = params["textDocument"]["uri"], params["textDocument"]["version"]
        if uri in self._forgotten:
            return
        if self._by_one and version > self._versions[uri] + 1:
            self._early[uri, version] = params
            return
        self._versions[uri] = version
        for change in params["contentChanges"]:
            self.texts[uri] = changed(self.texts[uri], change)
        if (uri, version + 1) in self._early:
            self._change(self._early.pop((uri, version + 1)))

    def _answer(self, sender, message):
        if sender == "client" and self._edit_ids.pop(message.get("id"), False):
            result = message.get("result") or {}
            if "error" in message or not result.get("applied", False):
                self.refused += 1


def changed(text, change):
    if "range" not in change:
        return change["text"]
    begin = offset(text, change["range"]["start"])
    end = offset(text, change["range"]["end"])
    return text[:begin] + change["text"] + text[end:]


def offset(text, position):
    """Of documents whose characters are one unit in every encoding."""
    at = 0
    for _ in range(position["line"]):
        found = text.find("\n", at)
        if found < 0:
            return len(text)
        at = found + 1
    end = text.find("\n", at)
    return min(at + position["character"], len(text) if end < 0 else end)
