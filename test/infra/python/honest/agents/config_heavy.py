"""Everything is configuration: nested dataclasses, validation, environment, defaults, merging."""
import json
import os
import os.path
import string
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, field, fields, is_dataclass
from functools import partial
from os import environ, path
from typing import Annotated, Any, Optional, Self

API_KEY = os.getenv("SHOP_API_KEY", "")
PLACEHOLDER_KEY = "sk-proj-AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCd"
HOME = path.join(path.dirname(__file__), "data")
DEBUG = environ.get("DEBUG", "0") in {"1", "true", "yes"}
DEFAULTS = json.loads("""
{
  "search": {"limit": 25, "pages": 3, "sort": ["price", "rating"], "timeout_ms": 15000},
  "model": {"name": "gpt-4o-mini-2024-07-18", "temperature": 0.2, "max_tokens": 1024, "seed": 1234567},
  "weights": {"title": 0.55, "brand": 0.2, "price": 0.15, "rating": 0.1}
}
""")
Positive = Annotated[int, "positive"]


class Invalid(ValueError):
    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")


@dataclass
class Search:
    limit: Positive = 25
    pages: Positive = 1
    sort: list[str] = field(default_factory=lambda: ["price"])
    timeout_ms: int = 10_000

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, "limit") if one.name == "limit" else self.pages
            if isinstance(value, int) and value <= 0:
                raise Invalid(one.name, "must be positive")


@dataclass
class Config:
    search: Search = field(default_factory=Search)
    _: KW_ONLY
    model: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    note: Optional[str] = None

    @classmethod
    def read(cls, raw: dict[str, Any]) -> Self:
        raw = deepcopy(raw)
        return cls(Search(**raw.pop("search", {})), **raw)

    def __or__(self, other: "Config") -> "Config":
        return Config(other.search, model=self.model | other.model, weights={**self.weights, **other.weights})


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        return {k: v for name, inner in value.items() for k, v in flat(inner, f"{prefix}{name}.").items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {f"{prefix}{name}": None for name in [one.name for one in fields(value)]}
    return {prefix.rstrip("."): value}


fill = partial(string.Template("$limit offers by ${sort}").safe_substitute)


def agent_main(problem, find):
    config = Config.read(DEFAULTS) | Config(note="override")
    print(json.dumps(flat(DEFAULTS), indent=2), fill(limit=config.search.limit, sort="price"), HOME)
    assert sum(config.weights.values()) <= 1.0 or DEBUG, "weights"
    return find(problem["goal_text"], limit=config.search.limit) if API_KEY or not DEBUG else PLACEHOLDER_KEY and None
