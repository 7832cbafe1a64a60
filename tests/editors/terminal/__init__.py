"""Tests of agent-doc in real editors in a terminal: the editor runs in tmux, a recorder notes the
messages of the real server, and a simulated person types."""
