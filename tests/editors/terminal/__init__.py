"""Tests of agent-doc in real editors that run in a terminal: the editor in tmux, the real server behind a recorder of its messages, a person who types."""
