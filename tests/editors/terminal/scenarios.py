"""The test cases for every editor that runs in a terminal."""

import os
import re
import shutil
import signal
import subprocess
import time
import traceback

from .measures import KEYS, first_character, typing_latency, views_stay
from .picture import svg
from .scene import Scene, counted_reply, new_id
from .tmux import wait_until


class Places:
    """Where a person types, and the resulting document."""

    ABOVE = "above"
    INSIDE = "inside"
    BELOW = "below"
    ALL = (ABOVE, INSIDE, BELOW)


def counting_config(replay_agent, deltas, interval_ms):
    return (
        'default_agent = "fake"\n[agents.fake]\ndialect = "claude"\n'
        f'command = "{replay_agent}"\nargs = ["--deltas", "{deltas}", "--interval-ms", "{interval_ms}"]\n'
        '[agents.gone]\ndialect = "claude"\ncommand = "/nowhere/claude"\n'
    )


def front_matter(document_id, agent, session=""):
    resume = f"resume: {session}\n" if session else ""
    return f"---\nagent_doc_session: {document_id}\nagent: {agent}\n{resume}---\n\n"


def words(count):
    return "".join(f" k{i:03d}" for i in range(count))


class Suite:
    def __init__(self, editor, program, binary, replay_agent, pictures=None, keep=None):
        self.editor = editor
        self.program = program
        self.binary = binary
        self.replay_agent = replay_agent
        self.pictures = pictures
        self.keep = keep
        self.passed = 0
        self.failed = 0
        self.figures = []

    # --- running ---

    def run(self, cases):
        for name, case in cases:
            began = time.monotonic()
            try:
                note = case()
                self.passed += 1
                print(
                    f"ok      {name} ({time.monotonic() - began:.1f} s){': ' + note if note else ''}",
                    flush=True,
                )
            except Exception:
                self.failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc(limit=-3)}", flush=True)

    def scene(self, text, config, act):
        scene = Scene(self.binary, text, config)
        editor = self.editor(scene, self.program)
        try:
            editor.start()
            return act(scene, editor)
        except Exception as error:
            screen = editor.terminal.screen() if editor.terminal else ""
            self.keep_messages(scene)
            raise AssertionError(f"{error}\n--- the screen\n{screen}") from error
        finally:
            editor.close()
            for pid in scene.wire.read().pids:
                try:
                    os.kill(pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass
            scene.remove()

    def keep_messages(self, scene):
        """Keeps the messages between the editor and the server of a failed case."""
        if self.keep and os.path.exists(scene.log):
            os.makedirs(self.keep, exist_ok=True)
            shutil.copyfile(
                scene.log,
                os.path.join(
                    self.keep, f"{self.editor.name}-{os.path.basename(scene.folder)}.messages"
                ),
            )

    def picture(self, editor, title):
        if self.pictures:
            with open(
                os.path.join(self.pictures, f"{self.editor.name}.svg"), "w", encoding="utf-8"
            ) as file:
                file.write(svg(editor.terminal.coloured_screen(), title))

    # --- the cases ---

    def typing(self, place, pace_ms, deltas=1200, interval_ms=4):
        """A reply of `deltas` pieces comes while a person types; the text is exactly right at the end."""
        document_id = new_id()
        body = "## User\n\nNotes:\n\nCount, please.\n"
        keys = max(4, int(deltas * interval_ms * 0.8 / pace_ms / 5))

        def act(scene, editor):
            typed = words(keys)
            editor.action("Run")
            scene.wait_for_text("w40 ")
            if place == Places.ABOVE:
                editor.type_after("Notes:", typed, pace_ms / 1000)
            elif place == Places.INSIDE:
                editor.type_after("w11", typed, pace_ms / 1000)
            else:
                editor.type_below(typed, pace_ms / 1000)
            scene.wait_for_turns(1)
            scene.must_become(
                lambda: self.expected(editor, document_id, scene.session_id(), place, typed, deltas)
            )
            editor.save()
            scene.must_be_saved(
                self.saved(editor, document_id, scene.session_id(), place, typed, deltas)
            )
            wire = scene.wire
            self.figures.append((place, pace_ms, wire.edits, wire.refused))
            return f"{len(typed)} keys, {wire.edits} edits, {wire.refused} refused"

        return self.scene(
            front_matter(document_id, "fake") + body,
            counting_config(self.replay_agent, deltas, interval_ms),
            act,
        )

    def expected(self, editor, document_id, session, place, typed, deltas):
        notes = "Notes:" + (typed if place == Places.ABOVE else "")
        reply = counted_reply(deltas)
        if place == Places.INSIDE:
            reply = reply.replace("w11\n", f"w11{typed}\n", 1)
        below = editor.text_below(typed) if place == Places.BELOW else "\n"
        head = front_matter(document_id, "fake", session)
        return f"{head}## User\n\n{notes}\n\nCount, please.\n\n## Assistant\n\n{reply}\n\n## User\n{below}"

    def saved(self, editor, document_id, session, place, typed, deltas):
        text = self.expected(editor, document_id, session, place, typed, deltas)
        return text if text.endswith("\n") else text + "\n"

    def tour(self):
        """The tour's reply streams in and a picture is taken; the text is what the server sent."""
        document_id = new_id()

        def act(scene, editor):
            editor.action("Run")
            scene.wait_for_text("## Assistant\n\nHello")
            wait_until("some lines of the reply are there", lambda: scene.text().count("\n") > 24)
            editor.type_below(" My next question, while it answers", 0.04)
            self.picture(
                editor,
                f"{self.editor.name}: the reply grows while the next prompt is typed below it",
            )
            scene.wait_for_turns(1)
            scene.wait_until_written()
            wait_until(
                "the next prompt stands below",
                lambda: "## User\n" in scene.text().rsplit("## Assistant", 1)[1],
            )
            text = scene.text()
            assert text.count(" My next question, while it answers") == 1, text
            assert text.count("## Assistant") == 1, text
            editor.save()
            wait_until("the file has it", lambda: scene.saved().rstrip("\n") == text.rstrip("\n"))

        return self.scene(
            front_matter(document_id, "tour") + "## User\n\nHow do I stop you?\n",
            'default_agent = "tour"\n',
            act,
        )

    def typing_into_the_tour(self, place, pace_ms):
        """The tour's reply streams in at its own pace while a person types. The text is the reply
        without the person, plus the typed text."""
        question = "How do I stop you?"
        text = front_matter(new_id(), "tour") + f"## User\n\n{question}\n"
        keys = max(4, 3000 // pace_ms // 5)

        def act(scene, editor):
            expected = self.reply_without_a_person(scene, text)
            typed = words(keys)
            editor.action("Run")
            scene.wait_for_text("### Stopping")
            if place == Places.ABOVE:
                editor.type_after(question, typed, pace_ms / 1000)
                expected = expected.replace(question, question + typed, 1)
            elif place == Places.INSIDE:
                editor.type_after("### Stopping a reply", typed, pace_ms / 1000)
                expected = expected.replace(
                    "### Stopping a reply", "### Stopping a reply" + typed, 1
                )
            else:
                editor.type_below(typed, pace_ms / 1000)
                expected = expected.removesuffix("\n") + editor.text_below(typed)
            scene.wait_for_turns(1)
            scene.must_become(
                lambda: expected.replace("resume: SESSION", f"resume: {scene.session_id()}", 1)
            )
            self.figures.append((place, pace_ms, scene.wire.edits, scene.wire.refused))
            return f"{len(typed)} keys, {scene.wire.edits} edits, {scene.wire.refused} refused"

        return self.scene(text, 'default_agent = "tour"\n', act)

    def reply_without_a_person(self, scene, text):
        """Returns the same document after a run on the command line; its session is "SESSION"."""
        os.makedirs(os.path.join(scene.folder, "silent"))
        document = scene.write("silent/" + scene.name, text)
        environment = {**scene.environment(), "AGENT_DOC_TOUR_PACE": "0"}
        subprocess.run(
            [self.binary, "run", document], env=environment, check=True, capture_output=True
        )
        with open(document, encoding="utf-8") as file:
            return re.sub(r"^resume: .*$", "resume: SESSION", file.read(), count=1, flags=re.M)

    def stop(self, stop):
        """The received text stays, and the rest does not arrive."""

        def act(scene, editor):
            editor.action("Run")
            scene.wait_for_text("w60 ")
            stop(editor)
            scene.wait_for_turns(1, 20)
            assert scene.wire.has("window/logMessage", "turn cancelled")
            wait_until("the reply ends", lambda: not scene.wire.waits_for_answer())
            assert "w2999" not in scene.text()

        return self.counting(act, deltas=3000, interval_ms=5)

    def second_run(self):
        """A second run during a run is refused with a message."""

        def act(scene, editor):
            editor.action("Run")
            scene.wait_for_text("w60 ")
            editor.command_by_name("agentDoc.run")
            editor.is_told("a turn is running in doc.md already")
            editor.action("Stop")
            scene.wait_for_turns(1, 20)
            assert scene.text().count("## Assistant") == 1

        return self.counting(act, deltas=3000, interval_ms=5)

    def resume(self):
        """After a restart of the editor, the session continues."""

        def act(scene, editor):
            editor.action("Run")
            scene.wait_for_turns(1)
            scene.wait_until_written()
            session = scene.session_id()
            editor.type_below("And again?", 0.01)
            editor.save()
            wait_until("the file has it", lambda: "And again?" in scene.saved())
            editor.quit()
            editor.close()
            scene.wire.forget_texts()
            editor.start()
            editor.action("Run")
            scene.wait_for_turns(2)
            wait_until(
                "the second reply is there", lambda: scene.text().count(counted_reply(60)) == 2
            )
            assert scene.session_id() == session

        return self.counting(act, deltas=60, interval_ms=1)

    def fork(self):
        """A fork is a new document that names its origin."""

        def act(scene, editor):
            editor.action("Run")
            scene.wait_for_turns(1)
            scene.wait_until_written()
            session = scene.session_id()
            editor.action("Fork")
            wait_until("the fork is there", lambda: os.path.exists(scene.path("doc-fork.md")))
            assert f'forked_from: {{file: "doc.md", session: "{session}", turn: ' in scene.saved(
                "doc-fork.md"
            )
            editor.show_fork("doc-fork.md")
            wait_until("the fork is open", lambda: scene.wire.text("doc-fork.md") is not None)
            editor.terminal.shows("forked_from")

        return self.counting(act, deltas=60, interval_ms=1)

    def permission(self, answer, sign):
        """The agent asks; the person answers; the reply shows it."""

        def act(scene, editor):
            editor.action("Run")
            editor.answer(answer)
            scene.wait_for_turns(1)
            scene.wait_for_text(sign, 30)

        return self.scene(
            front_matter(new_id(), "tour") + "## User\n\nWhat time is it?\n",
            'default_agent = "tour"\n',
            act,
        )

    def agent_missing(self):
        """An agent whose program is missing: a diagnostic, and a message at the run; the text stays."""
        text = front_matter(new_id(), "gone") + "## User\n\nHello?\n"

        def act(scene, editor):
            wait_until(
                "the diagnostic came",
                lambda: scene.wire.has("textDocument/publishDiagnostics", "agent-not-installed"),
            )
            editor.action("Run")
            editor.is_told("could not be started")
            assert scene.text() == text

        return self.scene(text, counting_config(self.replay_agent, 10, 1), act)

    def server_killed(self):
        """The server dies during a reply. The text stays, the server can be restarted, and the next run
        works."""

        def act(scene, editor):
            editor.action("Run")
            scene.wait_for_text("w60 ")
            os.kill(scene.wire.pids[-1], signal.SIGKILL)
            before = scene.text()
            editor.is_told_of_the_end()
            editor.restart_server()
            wait_until(
                "a new server has the document",
                lambda: len(scene.wire.read().pids) == 2 and scene.text() != "",
            )
            assert scene.text().startswith(before[: before.index("w40 ")]), scene.text()
            editor.type_below("Once more.", 0.01)
            editor.action("Run")
            wait_until(
                "the reply of the new server comes",
                lambda: scene.text().count("## Assistant") == 2
                and "w20" in scene.text().rsplit("## Assistant", 1)[1],
            )

        return self.counting(act, deltas=1500, interval_ms=4)

    def undo(self):
        """Undo after the reply: the editor's own steps; no typed character goes before its turn."""

        def act(scene, editor):
            editor.action("Run")
            scene.wait_for_turns(1)
            wait_until(
                "the reply is there",
                lambda: counted_reply(60) in scene.text() and not scene.wire.waits_for_answer(),
            )
            whole = scene.text()
            steps = 0
            while counted_reply(60)[:8] in scene.text():
                before = scene.text()
                editor.undo()
                wait_until("the text changes", lambda: scene.text() != before)
                steps += 1
                assert steps < 50
            assert "Count, please." in scene.text()
            for _ in range(steps):
                editor.redo()
            scene.must_become(whole)
            return f"{steps} steps for {scene.wire.edits} edits"

        return self.counting(act, deltas=60, interval_ms=1)

    def counting(self, act, deltas, interval_ms, body="## User\n\nNotes:\n\nCount, please.\n"):
        return self.scene(
            front_matter(new_id(), "fake") + body,
            counting_config(self.replay_agent, deltas, interval_ms),
            act,
        )

    def cases(self):
        return [case for case in self.all_cases() if case[0] not in self.editor.left_out]

    def short_cases(self):
        """Run, type, stop, fork, answer: the minimum for every editor."""
        return [
            case
            for case in self.cases()
            if case[0].startswith(
                (
                    "typing above",
                    "typing inside",
                    "typing below",
                    "stop by a code",
                    "fork",
                    "permission allowed",
                )
            )
        ]

    def all_cases(self):
        return [
            ("the tour's reply, and a person who types below it", self.tour),
            (
                "typing above a reply of 1,200 pieces, 60 ms a key",
                lambda: self.typing(Places.ABOVE, 60),
            ),
            ("typing inside it, 25 ms a key", lambda: self.typing(Places.INSIDE, 25)),
            ("typing below it, 150 ms a key", lambda: self.typing(Places.BELOW, 150)),
            ("stop by a code action", lambda: self.stop(lambda editor: editor.action("Stop"))),
            ("stop by a key", lambda: self.stop(lambda editor: editor.stop_by_key())),
            (
                "stop by the command",
                lambda: self.stop(lambda editor: editor.command_by_name("agentDoc.stop")),
            ),
            ("a second run is refused", self.second_run),
            ("the session goes on after a restart", self.resume),
            ("fork", self.fork),
            (
                "permission allowed",
                lambda: self.permission("Allow once", "### Permission\n\nYou allowed"),
            ),
            ("permission denied", lambda: self.permission("Deny", "You did not allow me")),
            ("the agent is missing", self.agent_missing),
            ("the server is killed", self.server_killed),
            ("undo and redo", self.undo),
            ("nothing that the person looks at moves", lambda: views_stay(self)),
            ("from the key to the first character on the screen", lambda: first_character(self)),
            (
                "typing in 25,000 lines, with and without a stream",
                lambda: typing_latency(self, KEYS),
            ),
        ]

    def matrix(self, runs):
        replies = [("the tour's reply", self.typing_into_the_tour), ("1,200 pieces", self.typing)]
        return [
            (
                f"{name}: typing {place} at {pace} ms a key, run {run}",
                lambda typing=typing, place=place, pace=pace: typing(place, pace),
            )
            for name, typing in replies
            for place in Places.ALL
            for pace in (25, 60, 150)
            for run in range(1, runs + 1)
        ] + [
            (
                "typing in 25,000 lines, with and without a stream",
                lambda: typing_latency(self, 5 * KEYS),
            )
        ]
