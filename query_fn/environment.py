"""What the environment says about the paid model. Read at the edges: the Lambda entry and the local commands."""

from __future__ import annotations

from collections.abc import Mapping

from query_fn.prices import PRICES, Price
from query_fn.settings import ClaudeSettings

PROVIDERS = ("anthropic", "bedrock")
CHATS = ("extractive", "claude")
_PRICE = {"MODEL": "GEOSMIN_CHAT_PRICE", "GRADER": "GEOSMIN_CHAT_GRADER_PRICE"}


class SettingsError(ValueError):
    """An environment variable has a value that cannot be meant; the message names it and never quotes a secret."""


def chat_from(environment: Mapping[str, str]) -> str:
    """Return who answers: GEOSMIN_CHAT, extractive when it is not set. Raises SettingsError for anybody else."""
    name = environment.get("GEOSMIN_CHAT") or CHATS[0]
    if name not in CHATS:
        raise SettingsError(f"GEOSMIN_CHAT must be one of {', '.join(CHATS)}, not {name!r}")
    return name


def claude_from(environment: Mapping[str, str]) -> ClaudeSettings:
    """Return the settings of the paid model from GEOSMIN_CHAT_* and the provider's own variables.

    Raises SettingsError for an unknown provider and for a model without a price: spending must be seen before.
    """
    default = ClaudeSettings()
    provider = environment.get("GEOSMIN_CHAT_PROVIDER") or default.provider
    if provider not in PROVIDERS:
        raise SettingsError(f"GEOSMIN_CHAT_PROVIDER must be one of {', '.join(PROVIDERS)}, not {provider!r}")
    model = environment.get("GEOSMIN_CHAT_MODEL") or default.model
    grader = environment.get("GEOSMIN_CHAT_GRADER") or ""
    return ClaudeSettings(
        provider=provider,
        model=model,
        price=_price(model, environment.get("GEOSMIN_CHAT_PRICE", "")),
        key=environment.get("ANTHROPIC_API_KEY") or environment.get("ANTHROPIC_AUTH_TOKEN") or None,
        base_url=environment.get("ANTHROPIC_BASE_URL") or None,
        grader=_price(grader, environment.get("GEOSMIN_CHAT_GRADER_PRICE", ""), "GRADER") if grader else None,
    )


def _price(model: str, given: str, name: str = "MODEL") -> Price:
    """Return the price of a model: as given in dollars per million tokens, else as known."""
    if given:
        try:
            numbers = [float(part) for part in given.split()]
        except ValueError:
            numbers = []
        if len(numbers) != 4 or min(numbers) < 0:
            raise SettingsError(f"{_PRICE[name]} needs four numbers: input, output, cache write and cache read")
        return Price(model, *numbers)
    known = {price.model: price for price in PRICES}
    if model not in known:
        raise SettingsError(f"GEOSMIN_CHAT_{name}: no price is known for {model!r}; set {_PRICE[name]} too")
    return known[model]
