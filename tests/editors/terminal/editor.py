"""How a person works in an editor that runs in a terminal."""

from .tmux import Terminal, wait_until


class Editor:
    """Subclasses define the keys and these methods:

    command(name)                    returns the program and its arguments
    action(title)                    chooses a code action of agent-doc
    command_by_name(command)         sends a command of agent-doc, not by a code action
    run_key, stop_by_key()           the keys that the editor's page in editors/ describes
    answer(label)                    answers the agent's question
    go_behind(place), go_below()     makes ready to type: after the line that ends with `place`, or
                                     at the end of the document
    split_and_show_the_beginning()   in the new window; the cursor stays in the other one, ready to
                                     type
    text_rows()                      returns the rows of document text on the screen, without the
                                     editor's own
    text_below(typed)                returns the text below the last heading once `typed` is typed
    save(), quit(), undo(), redo()
    is_told_of_the_end()             whether the editor says that the server has ended
    restart_server()
    """

    name = ""
    left_out = ()  # names of cases that cannot be tried in this editor; its page says why

    def __init__(self, scene, program):
        self.scene = scene
        self.program = program
        self.terminal = None

    def start(self, name=None):
        self.terminal = Terminal(
            self.scene.folder, self.command(name or self.scene.name), self.environment()
        )
        wait_until(
            "the server has the document",
            lambda: self.scene.wire.text(name or self.scene.name) is not None,
        )

    def environment(self):
        return self.scene.environment()

    def is_told(self, message):
        self.terminal.shows(message)

    def close(self):
        if self.terminal:
            self.terminal.close()
            self.terminal = None

    def type_after(self, place, text, pace):
        self.go_behind(place)
        self.terminal.type(text, pace)
        self.leave()

    def type_below(self, text, pace):
        self.go_below()
        self.terminal.type(text, pace)
        self.leave()

    def show_fork(self, name):
        """Opens the fork if the editor does not let the server open it."""

    def leave(self):
        """Ends typing, in an editor with modes."""
