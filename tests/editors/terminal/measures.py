"""Measures what a person would notice: how long a key takes in a long document, and whether anything
that they look at moves while a reply grows."""

import re
import subprocess
import time

from .onlooker import Onlooker, percentile
from .tmux import wait_until

LINES = 25000
KEYS = 60
SECONDS_PER_KEY = 0.04
# On an idle machine it is a few milliseconds; more than this is a defect on any machine.
MOST_SLOWER_MS = 150
MOST_TO_FIRST_MS = 500  # in addition to the agent's own time
ROUNDS = 3
QUESTION = "What do you think of it?"


def typing_latency(suite, keys):
    """Types in 25,000 lines, above a reply that grows in the same window, and without a reply."""
    lines = "".join(
        f"Line {number} of a document that has been written in for years.\n"
        for number in range(LINES)
    )

    def act(scene, editor):
        onlooker = Onlooker(editor.terminal)
        try:
            editor.go_behind(QUESTION)
            quiet, typed = onlooker.type(keys, SECONDS_PER_KEY)
            scene.wait_for_text(QUESTION + typed)
            editor.action("Run")
            scene.wait_for_text("w20 ")
            editor.go_behind(QUESTION)
            streaming, typed_then = onlooker.type(keys, SECONDS_PER_KEY)
            scene.wait_for_text(QUESTION + typed_then + typed)
            assert not scene.wire.has("window/logMessage", ": turn "), "the stream ended too early"
            editor.action("Stop")
            scene.wait_for_turns(1)
        finally:
            onlooker.close()
        slower = percentile(streaming, 0.95) - percentile(quiet, 0.95)
        note = ", ".join(
            f"p{share} {percentile(quiet, share / 100):.1f} and {percentile(streaming, share / 100):.1f} ms"
            for share in (50, 95)
        )
        assert slower < MOST_SLOWER_MS, note
        return f"{note}: p95 {slower:+.1f} ms with a stream"

    return suite.counting(
        act, deltas=200000, interval_ms=4, body=f"{lines}\n## User\n\n{QUESTION}\n"
    )


def first_character(suite):
    """Measures the time from the key of run to the first character of the reply on the screen."""
    times = []

    def act(scene, editor):
        onlooker = Onlooker(editor.terminal)
        try:
            times.append(onlooker.ms_until(editor.run_key, "w0"))
        finally:
            onlooker.close()
        scene.wait_for_turns(1)

    alone = [agent_alone(suite.replay_agent) for _ in range(ROUNDS)]
    for _ in range(ROUNDS):
        suite.counting(act, deltas=60, interval_ms=5)
    over = percentile(times, 0.5) - percentile(alone, 0.5)
    note = f"{', '.join(f'{one:.0f}' for one in times)} ms; the agent alone {percentile(alone, 0.5):.0f} ms; over it {over:.0f} ms"
    assert over < MOST_TO_FIRST_MS, note
    return note


def agent_alone(program):
    """Returns the milliseconds that the agent itself needs from its start to its first text."""
    began = time.perf_counter()
    with subprocess.Popen(
        [program, "--deltas", "60", "--interval-ms", "5"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as agent:
        agent.stdin.write(
            '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Hello?"}]}}\n'
        )
        agent.stdin.flush()
        while "text_delta" not in agent.stdout.readline():
            continue
        needed = (time.perf_counter() - began) * 1000
        agent.kill()
    return needed


def views_stay(suite):
    """Shows the beginning and the end of the document in two windows, while the reply grows between
    them. Neither window moves, nor does the cursor."""
    below = "".join(f"Below {number}.\n" for number in range(1, 41)) + "Here: "

    def act(scene, editor):
        editor.action("Run")
        scene.wait_for_text("w20 ")
        editor.go_below()
        editor.terminal.text(below)
        scene.wait_for_text("Here:")
        editor.split_and_show_the_beginning()
        wait_until(
            "both windows are there",
            lambda: len(re.findall(r"Below 40\.|Notes:", editor.terminal.screen())) == 2,
        )
        grown = scene.text().count("\n") + 20
        wait_until(
            "the reply fills the window with the beginning",
            lambda: scene.text().count("\n") > grown,
        )
        first, looks, lines = editor.text_rows(), 0, scene.text().count("\n")
        while scene.text().count("\n") < lines + 40:
            now = editor.text_rows()
            assert now == first, (
                "the windows moved:\n" + "\n".join(first) + "\n--- and then\n" + "\n".join(now)
            )
            looks += 1
        editor.terminal.text("the cursor")
        scene.wait_for_text("Here: the cursor")
        editor.action("Stop")
        scene.wait_for_turns(1)
        return f"{looks} looks while the reply grew by 40 lines"

    return suite.counting(act, deltas=20000, interval_ms=4)
