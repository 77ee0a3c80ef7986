from collections import namedtuple
from enum import Enum, auto
from typing import NamedTuple
class Kind(Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()
    SHOE = auto()
    BAG = auto()
    @classmethod
    def _missing_(cls, value):
        return next((m for m in cls if m._value_ == str(value).lower()), None)
Spot = namedtuple("Spot", ["x", "y"], defaults=[0])
Pair = NamedTuple("Pair", [("left", int), ("right", int)])
class Offer(NamedTuple):
    name: str
    price: float = 0.0
p = Spot(1)._replace(y=2)._asdict()
q = Offer._make(["a", 1.0])._fields
def agent_main(problem, find):
    return [Kind("shoe"), p, q, Pair(1, 2)]
