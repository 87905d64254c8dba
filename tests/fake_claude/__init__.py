"""A Messages API on loopback, for the real SDK: `script.py` says what it answers, `server.py` speaks HTTP."""

from tests.fake_claude.script import Expired, Hang, Reply, Script, Status, Text, Thought, Tool, Turn, scripted
from tests.fake_claude.server import FakeClaude

__all__ = ["Expired", "FakeClaude", "Hang", "Reply", "Script", "Status", "Text", "Thought", "Tool", "Turn", "scripted"]
