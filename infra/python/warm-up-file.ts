/**
 * A file with a bit of everything that agents are written with. A thread reads it before its first
 * file: to compile ruff, the parser and the rules takes the engine a quarter of a second.
 */
const parts = (n: number) => `
import json
import logging
import re
from collections import Counter, namedtuple
from dataclasses import dataclass, field
from enum import Enum

LOG_${n} = logging.getLogger("agent.{}".format(${n}))
WORDS_${n} = frozenset("""red blue foldable wireless portable ceramic""".split())
PRICES_${n} = [1.5, 22, 0x1F, 1_000, ${n}]
PROMPT_${n} = "Compare {name} by price and rating.\\nAnswer in JSON: " 'one object.'
SIZES_${n} = {"small": ["EU 35", 22.5], "large": ["EU 42", 26], **{"none": []}}


class Colour${n}(Enum):
    RED = 1
    BLUE = 2


@dataclass(order=True)
class Offer${n}:
    price: float = 22.5
    title: str = field(default="mug", compare=False)

    @property
    def label(self) -> str:
        return f"{self.title!r} @ {self.price:>{10}.2f} {{literal}}"


def rank_${n}(offers: list[dict], *, limit=100, **options):
    """Ranks the offers of one shop."""
    kept = [o for o in offers if o.get("price", 0) <= limit and not o.get("sold")]
    for at, offer in enumerate(kept):
        if "cup" in offer["title"] or at > 3:
            continue
        elif isinstance(offer, dict):
            offer["rank"] = at if at % 2 else -at
    try:
        with open_shop(offers) as shop:
            shop.names += 1
    except (KeyError, ValueError) as error:
        LOG_${n}.warning("%s: %s", type(error).__name__, error)
        raise RuntimeError("no shop") from error
    return sorted(kept, key=lambda offer: (-offer.get("rating", 0), offer["price"]))[: options.get("n")]


async def read_${n}(event, *rest):
    global WORDS_${n}
    match event:
        case {"tool": "find", "query": str(query)} if len(query) > 3:
            return PROMPT_${n}.format(name=query) + ", ".join(rest)
        case [first, *others] | (first, others):
            return [await one for one in others] or first
        case _:
            assert (found := re.search(r"\\\\d+", str(event))), "nothing"
            return found.group(0)
`;

const copies = 4;
export const warmUpFile: Uint8Array = Buffer.from(
  Array.from({ length: copies }, (_, n) => parts(n)).join(''),
);
