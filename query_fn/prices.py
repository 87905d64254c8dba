"""What models cost and how much a text may weigh. A leaf: values and arithmetic, nothing is called."""

from __future__ import annotations

import math

from msgspec import Struct

UNSURE = 1.5  # how many times the estimated tokens a text may really have


class Price(Struct, frozen=True):
    """US dollars per million tokens of one model."""

    model: str
    input: float = 0.0
    output: float = 0.0
    cache_write: float = 0.0
    cache_read: float = 0.0


# As published in October 2026, for prompts of up to 100,000 tokens; nothing here sends a longer one.
PRICES = (
    Price("claude-haiku-5-5", input=0.10, output=0.50, cache_write=0.125, cache_read=0.01),
    Price("claude-sonnet-5-5", input=2.0, output=10.0, cache_write=2.5, cache_read=0.10),
)


class Usage(Struct, frozen=True):
    """Tokens of one call, or of many."""

    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return both together."""
        return Usage(
            self.input + other.input,
            self.cache_write + other.cache_write,
            self.cache_read + other.cache_read,
            self.output + other.output,
        )

    @property
    def read(self) -> int:
        """All input tokens, from the cache or not."""
        return self.input + self.cache_write + self.cache_read


class Spending(Struct, frozen=True):
    """What a call may use, or has used: US dollars, and tokens in and out together."""

    usd: float = 0.0
    tokens: int = 0


def spending(usage: Usage, price: Price) -> Spending:
    """Return what tokens weigh on a budget."""
    return Spending(cost(usage, price), usage.read + usage.output)


def cost(usage: Usage, price: Price) -> float:
    """Return what tokens cost, in US dollars."""
    parts = (
        usage.input * price.input,
        usage.cache_write * price.cache_write,
        usage.cache_read * price.cache_read,
        usage.output * price.output,
    )
    return sum(parts) / 1_000_000


def tokens(text: str) -> int:
    """Return about how many tokens a text has; rather too many: 3 ASCII characters a token, 1.3 for every other one."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_only / 3 + (len(text) - ascii_only) * 1.3)
