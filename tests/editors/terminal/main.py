"""The command line of a suite:

run BINARY [--agent REPLAY_AGENT] [--matrix [RUNS]] [--short] [--pictures FOLDER] [--keep FOLDER]
    [FILTER]
"""

import argparse
import os
import signal
import subprocess
import sys

from .scenarios import Suite


def program_of(installer):
    """Returns the path of the editor, from an install script or from a function that searches it."""
    if callable(installer):
        return installer()
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = subprocess.run(
        [os.path.join(folder, installer)], stdout=subprocess.PIPE, text=True, check=False
    )
    lines = found.stdout.strip().split("\n")
    return lines[-1] if found.returncode == 0 else None


def main(editor, installer, add_options=lambda parser: None, take_options=lambda arguments: None):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends the editor and the server, too
    parser = argparse.ArgumentParser(description=f"Tests agent-doc in {editor.name}.")
    parser.add_argument("binary", help="the agent-doc to test")
    parser.add_argument("filter", nargs="?", default="", help="only the cases whose name has this")
    parser.add_argument(
        "--agent", help="replay_agent of the same build; found beside BINARY otherwise"
    )
    parser.add_argument(
        "--matrix",
        nargs="?",
        const=5,
        type=int,
        help="every place at every pace, so many times (5)",
    )
    parser.add_argument(
        "--short", action="store_true", help="only to run, type, stop, fork and answer"
    )
    parser.add_argument("--pictures", help="where to write the picture")
    parser.add_argument(
        "--keep", metavar="FOLDER", help="where to write the messages of cases that failed"
    )
    add_options(parser)
    arguments = parser.parse_intermixed_args()
    take_options(arguments)
    binary = os.path.abspath(arguments.binary)
    agent = os.path.abspath(
        arguments.agent or os.path.join(os.path.dirname(binary), "tests/replay_agent")
    )
    for path in (binary, agent):
        if not os.access(path, os.X_OK):
            sys.exit(f"{path} is not there: build agent-doc and replay_agent first")
    program = program_of(installer)
    if program is None:
        print(f"{editor.name} could not be installed")
        print("0 passed, 1 failed")
        sys.exit(1)
    suite = Suite(editor, program, binary, agent, arguments.pictures, arguments.keep)
    cases = suite.short_cases() if arguments.short else suite.cases()
    if arguments.matrix is not None:
        cases = suite.matrix(arguments.matrix)
    suite.run([case for case in cases if arguments.filter in case[0]])
    edits = sum(figure[2] for figure in suite.figures)
    refused = sum(figure[3] for figure in suite.figures)
    if suite.figures:
        print(
            f"while a person typed: {edits} edits of the server, {refused} of them refused and made anew"
        )
    print(f"{suite.passed} passed, {suite.failed} failed")
    sys.exit(1 if suite.failed else 0)
