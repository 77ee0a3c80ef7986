"""Scores every candidate on a handful of features and takes the best one.

>>> parse_budget("under 1,250.50 PHP")
Decimal('1250.50')
"""
from __future__ import annotations

import logging
import re
from dataclasses import asdict, dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, ClassVar, Iterable, Optional

from shop_tools import cart, search

log = logging.getLogger(__name__)
CENT = Decimal("0.01")
__version__ = "2.3.1"
__all__ = ["Offer", "Wish", "agent_main"]


@dataclass(frozen=True, slots=True)
class Offer:
    product_id: str
    title: str
    price: Decimal
    rating: float = 0.0
    tags: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> "Offer":
        return cls(
            product_id=str(raw["product_id"]),
            title=raw.get("title", "").strip(),
            price=Decimal(str(raw.get("price", "0"))).quantize(CENT, rounding=ROUND_HALF_UP),
            rating=float(raw.get("rating") or 0),
            tags=tuple(sorted(raw.get("tags", []))),
        )

    def __post_init__(self) -> None:
        if self.rating > 5:
            object.__setattr__(self, "rating", 5.0)


@dataclass
class Wish:
    WEIGHTS: ClassVar[dict[str, float]] = {"title": 3.0, "rating": 1.0, "price": 0.5}
    words: list[str] = field(default_factory=list)
    price_max: Optional[Decimal] = None
    extras: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def score(self, offer: Offer) -> float:
        title = offer.title.casefold()
        hits = sum(word in title for word in self.words) / max(1, len(self.words))
        cheap = 0.0
        if self.price_max:
            cheap = float(1 - offer.price / self.price_max)
        return sum(
            self.WEIGHTS[name] * value
            for name, value in {"title": hits, "rating": offer.rating / 5, "price": cheap}.items()
        )


def parse_budget(text: str) -> Decimal | None:
    found = re.search(r"(?:under|below|up to|max(?:imum)?)\s*(?:PHP|₱|\$)?\s*([\d,]+(?:\.\d+)?)", text, re.I)
    if not found:
        return None
    try:
        return Decimal(found[1].replace(",", ""))
    except InvalidOperation as problem:
        log.warning("cannot read %r: %s", found[1], problem)
        return None


def candidates(raws: Iterable[dict[str, Any]], wish: Wish) -> list[Offer]:
    offers = (Offer.from_json(raw) for raw in raws)
    return [offer for offer in offers if wish.price_max is None or offer.price <= wish.price_max]


def agent_main(problem: dict[str, Any]) -> Any:
    goal = problem["goal_text"]
    wish = Wish(words=re.findall(r"[a-z]{3,}", goal.lower()), price_max=parse_budget(goal))
    found = candidates(search(goal, limit=40), wish)
    if not found and wish.price_max is not None:
        wish = replace(wish, price_max=None)
        found = candidates(search(" ".join(wish.words[:4]), limit=40), wish)
    if not found:
        return None
    best = max(found, key=wish.score)
    log.info("chose %s", asdict(best))
    cart.add(best.product_id)
    return cart.checkout()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    print(parse_budget("up to PHP 180"))
