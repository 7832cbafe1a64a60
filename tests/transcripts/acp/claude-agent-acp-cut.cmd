claude-agent-acp
# ACP over stdio; raw frames of both directions
