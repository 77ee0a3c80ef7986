# Stands alone.
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict, defaultdict
from functools import cached_property, partial, reduce, singledispatchmethod, total_ordering
import operator
import unicodedata
import string
from shop_tools import search, cart, vouchers

STOP = frozenset("a an the of for with and or to in on me i want need buy please under".split())

class Plugin(ABC):
    registry: dict[str, type["Plugin"]] = {}
    weight = 1.0
    def __init_subclass__(cls, /, name=None, **kw):
        super().__init_subclass__(**kw)
        Plugin.registry[name or cls.__name__.lower()] = cls
    def __init__(self, ctx): self.ctx = ctx
    @abstractmethod
    def score(self, item) -> float: ...
    def __call__(self, item): return self.weight * self.score(item)
    def __repr__(self): return f"<{type(self).__name__} w={self.weight}>"

class Words(Plugin, name="words"):
    weight = 2.5
    @cached_property
    def wanted(self): return Counter(self.ctx.words)
    def score(self, item):
        have = Counter(tokenize(item["title"]))
        return sum((self.wanted & have).values()) / max(1, sum(self.wanted.values()))

class Cheap(Plugin):
    def score(self, item): return 1 / (1 + float(item["price"]))

@total_ordering
class Ranked:
    __slots__ = ("item", "value", "_notes")
    def __init__(self, item, value):
        self.item, self.value, self._notes = item, value, []
    def __eq__(self, other): return isinstance(other, Ranked) and self.value == other.value
    def __lt__(self, other):
        if not isinstance(other, Ranked): return NotImplemented
        return self.value < other.value
    def __hash__(self): return hash(self.item["product_id"])

def tokenize(text, *, _table=str.maketrans("", "", string.punctuation)):
    text = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return [w for w in text.translate(_table).split() if w not in STOP]

class Context:
    def __init__(self, goal): self.goal = goal
    @property
    def words(self): return tokenize(self.goal)
    @singledispatchmethod
    def norm(self, v): return v
    @norm.register
    def _(self, v: str): return v.strip()
    @norm.register(int)
    @norm.register(float)
    def _(self, v): return round(v, 2)

class Agent:
    def __init__(self, *plugins, top=5):
        self.plugins = list(plugins); self.top = top; self.log = defaultdict(list)
    def run(self, goal):
        ctx = Context(goal)
        scorers = [cls(ctx) for cls in Plugin.registry.values()]
        ranked = sorted((Ranked(it, reduce(operator.add, (s(it) for s in scorers), 0.0)) for it in search(goal, limit=25)), reverse=True)
        for r in ranked[:self.top]:
            self.log[r.item["seller"]].append((r.item["title"], ctx.norm(r.value)))
        return ranked[0].item if ranked else None

class Tools:
    def __init__(self): self.known = {}
    def register(self, name, *, cost=1):
        def keep(function):
            self.known[name] = (function, cost)
            return function
        return keep

tools = Tools()

@tools.register("voucher", cost=2)
def best_voucher(seller: str, codes: "list[dict]"):
    return max((v for v in codes if v["seller"] == seller), key=operator.itemgetter("percent"), default=None)

agent = Agent()
def agent_main(problem):
    item = agent.run(problem["goal_text"])
    if item is None: return
    cart.add(item["product_id"])
    if (v := best_voucher(item["seller"], vouchers())) is not None: cart.use_voucher(v["code"])
    cart.checkout()

if __name__ == "__main__":
    agent_main({"task_id": "t", "family": "f", "goal_text": "a blue mug"})
