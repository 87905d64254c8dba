"""The function's settings: frozen, validated once, filled from the environment by `handler` only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """How the function runs. Paths may be symbolic links; `artifacts` is followed again when the pointer moves."""

    artifacts: Path = Path("dist/current/artifacts")
    site: Path | None = None  # served at the base path when set: local only, a deployed site has its own host
    model: Path | None = None  # the embedder's folder; None: artifacts/model, else no dense routes (named in degraded)
    base_path: str = "/"
    secret: bytes | None = None  # signs conversation tokens; None: follow-ups are off
    allow_origins: tuple[str, ...] = ()  # exact origins for CORS
    max_body_bytes: int = 64 * 1024
    max_question_chars: int = 2_000
    retrieval_rounds: int = 2
    chat: str = "extractive"  # "extractive" | "claude"
    tools_off: tuple[str, ...] = ()
    deadline_seconds: float = 25.0
    max_steps: int = 8  # tool calls a question may cost
    conversation_seconds: int = 24 * 3600  # how long a conversation token is valid
    rate_per_minute: int = 0  # questions a client may ask per minute in this process; 0 = no limit
