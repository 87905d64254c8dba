"""The function's settings: frozen, validated once, filled from the environment at the edges only."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from query_fn.prices import PRICES, Price


class ClaudeSettings(Struct, frozen=True):
    """The paid model: where it is asked, what it costs, and how long it may be silent."""

    provider: str = "anthropic"  # "anthropic" | "bedrock"
    model: str = PRICES[0].model
    price: Price = PRICES[0]
    key: str | None = None  # Bedrock has its own ways and needs none
    base_url: str | None = None
    turn_tokens: int = 1_200  # output tokens of one turn
    silence: float = 10.0  # seconds without a byte after which a call has failed
    retries: int = 2  # before anything was said
    grader: Price | None = None  # the model that reads each sentence beside its quotes; None: rules alone

    def __repr__(self) -> str:
        """Return what may stand in a log: no key."""
        return f"ClaudeSettings({self.provider}, {self.model})"


class Settings(Struct, frozen=True):
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
    claude: ClaudeSettings = field(default_factory=ClaudeSettings)
    tools_off: tuple[str, ...] = ()
    deadline_seconds: float = 25.0
    max_steps: int = 8  # tool calls a question may cost
    max_input_tokens: int = 120_000  # of all calls to the paid model for one question
    max_output_tokens: int = 8_000
    max_usd: float = 0.05  # a question
    conversation_seconds: int = 24 * 3600  # how long a conversation token is valid
    rate_per_minute: int = 0  # questions a client may ask per minute; 0 = no limit
    rate_all_per_minute: int = 0  # of all clients together
    searches_per_minute: int = 0  # searches, outlines and passages a client may fetch per minute; 0 = no limit
    searches_all_per_minute: int = 0  # of all clients together
    day_usd: float = 5.0  # what the paid model may cost in a UTC day
    day_tokens: int = 0  # of the paid model in a UTC day, in and out together; 0 = no limit beside the dollars
    off: str = ""  # "" | "model" | "all": the kill switch
    proof_bits: int = 0  # work before the first question: 2 to the power of this many hashes; 0 = none; needs `secret`
    trusted_hops: int = 0  # proxies in front of the platform's own door that append to X-Forwarded-For
    door: bytes | None = None  # what the proxy in front must send; None: anybody may call
    table: str = ""  # DynamoDB table of what all containers count together; "" = each container counts for itself
    cached_answers: int = 256  # in this process
    shared_answers_seconds: int = 0  # how long the table keeps answers for all containers; 0 = it keeps none
    bucket: str = ""  # s3://BUCKET/PREFIX: the artifacts come from there, and `artifacts` is not used
    verify_key: bytes | None = None  # the owner's public key; a manifest that it did not sign is refused
    refresh_seconds: float = 60.0  # how often the pointer in the bucket is looked at
    log_requests: bool = False  # one JSON line for each request
    log_words: bool = False  # the words of questions too, not only their hash

    def __repr__(self) -> str:
        """Return what may stand in a log: no secret, no key and no door."""
        return f"Settings({self.artifacts}, {self.chat})"
