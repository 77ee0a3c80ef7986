"""A purchase as a small state machine with an enum, a transition table and properties."""
import enum
import time
from collections import deque
from types import MappingProxyType

from shop_tools import cart, search


class Phase(enum.Enum):
    READING = enum.auto()
    SEARCHING = enum.auto()
    COMPARING = enum.auto()
    PAYING = enum.auto()
    DONE = "done"
    FAILED = "failed"

    @property
    def is_final(self):
        return self in (Phase.DONE, Phase.FAILED)

    def __str__(self):
        return self.name.title()


class TransitionError(Exception):
    def __init__(self, source, target):
        super().__init__(f"no way from {source} to {target}")
        self.source, self.target = source, target


ALLOWED = MappingProxyType({
    Phase.READING: frozenset({Phase.SEARCHING, Phase.FAILED}),
    Phase.SEARCHING: frozenset({Phase.COMPARING, Phase.SEARCHING, Phase.FAILED}),
    Phase.COMPARING: frozenset({Phase.PAYING, Phase.SEARCHING, Phase.FAILED}),
    Phase.PAYING: frozenset({Phase.DONE, Phase.FAILED}),
})


class Shopper:
    __slots__ = ("_phase", "goal", "queue", "seen", "choice", "_began")

    def __init__(self, goal):
        self._phase = Phase.READING
        self.goal, self.queue, self.seen, self.choice = goal, deque(), {}, None
        self._began = time.monotonic()

    @property
    def phase(self):
        return self._phase

    @phase.setter
    def phase(self, target):
        if target not in ALLOWED.get(self._phase, ()):
            raise TransitionError(self._phase, target)
        self._phase = target

    @phase.deleter
    def phase(self):
        self._phase = Phase.FAILED

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, traceback):
        if kind is not None and not self._phase.is_final:
            del self.phase
        return kind is not None and issubclass(kind, (TransitionError, KeyError))

    def read(self):
        words = self.goal.split()
        self.queue.extend([self.goal, " ".join(words[:5]), " ".join(words[-5:])])
        self.phase = Phase.SEARCHING

    def look(self):
        while self.queue and len(self.seen) < 20:
            for product in search(self.queue.popleft(), limit=10):
                self.seen.setdefault(product["product_id"], product)
        self.phase = Phase.COMPARING if self.seen else Phase.FAILED

    def compare(self):
        ranked = sorted(self.seen.values(), key=lambda p: (-p.get("rating", 0), p["price"]))
        self.choice = ranked[0]["product_id"]
        self.phase = Phase.PAYING

    def pay(self):
        cart.add(self.choice)
        self.phase = Phase.DONE if cart.checkout() else Phase.FAILED

    STEPS = {Phase.READING: read, Phase.SEARCHING: look, Phase.COMPARING: compare, Phase.PAYING: pay}

    def run(self, seconds=60.0):
        while not self._phase.is_final:
            if time.monotonic() - self._began > seconds:
                self._phase = Phase.FAILED
                break
            self.STEPS[self._phase](self)
        return self._phase


def agent_main(problem):
    with Shopper(problem["goal_text"]) as shopper:
        shopper.run()
    return str(shopper.phase), shopper.choice
