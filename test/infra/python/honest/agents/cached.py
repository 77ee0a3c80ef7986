# Stands alone.
from dataclasses import dataclass, field, replace, asdict, fields
from functools import cached_property, lru_cache
import copy
@dataclass(frozen=True, slots=False)
class Item:
    name: str
    price: float = 0.0
    tags: list[str] = field(default_factory=list)
    @cached_property
    def words(self):
        return self.name.split()
    def cheaper(self):
        return replace(self, price=self.price * 0.9)
    def to_dict(self):
        return {f.name: getattr(self, "name") for f in fields(self)}
@dataclass
class State:
    stream: bool = False
    obj: object = None
    history: list = field(default_factory=list)
    def fork(self):
        return copy.deepcopy(self)
@lru_cache(maxsize=None)
def norm(t):
    return t.lower()
def agent_main(problem, find):
    s = State().fork()
    return [asdict(Item("a b").cheaper()), s.stream, s.obj]
