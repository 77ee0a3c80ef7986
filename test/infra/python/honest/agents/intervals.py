"""Constraint solving: ranges of prices and sizes with interval arithmetic and operator overloads."""
import math
import operator
from collections import namedtuple
from enum import Flag, auto

Bound = namedtuple("Bound", ["value", "closed"], defaults=[True])
OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}


class Closed(Flag):
    NONE = 0
    LOW = auto()
    HIGH = auto()
    BOTH = LOW | HIGH


class Interval:
    __slots__ = ("low", "high", "closed")
    EMPTY: "Interval"

    def __init__(self, low=-math.inf, high=math.inf, closed=Closed.BOTH):
        self.low, self.high, self.closed = low, high, closed

    def __contains__(self, x):
        low = OPERATORS["<=" if Closed.LOW in self.closed else "<"](self.low, x)
        return low and OPERATORS["<=" if Closed.HIGH in self.closed else "<"](x, self.high)

    def __and__(self, other):
        return Interval(max(self.low, other.low), min(self.high, other.high), self.closed & other.closed)

    def __or__(self, other):
        return Interval(min(self.low, other.low), max(self.high, other.high), self.closed | other.closed)

    def __neg__(self):
        return Interval(-self.high, -self.low)

    def __add__(self, other):
        if isinstance(other, Interval):
            return Interval(self.low + other.low, self.high + other.high)
        return Interval(self.low + other, self.high + other)

    __radd__ = __add__

    def __sub__(self, other):
        return self + -other

    def __mul__(self, k):
        low, high = sorted((self.low * k, self.high * k))
        return Interval(low, high)

    def __truediv__(self, k):
        return self * (1 / k)

    def __matmul__(self, other):
        return self.low <= other.high and other.low <= self.high

    def __bool__(self):
        return self.low <= self.high

    def __abs__(self):
        return self.high - self.low

    def __round__(self, digits=0):
        return Interval(round(self.low, digits), round(self.high, digits))

    def __format__(self, spec):
        return f"[{self.low:{spec or 'g'}}, {self.high:{spec or 'g'}}]"

    def __repr__(self):
        return f"Interval({self.low!r}, {self.high!r})"

    def __eq__(self, other):
        return (self.low, self.high) == (other.low, other.high)

    def __hash__(self):
        return hash((self.low, self.high))

    def __reversed__(self):
        return iter((self.high, self.low))

    def __iter__(self):
        return iter((self.low, self.high))

    def __len__(self):
        return max(0, int(abs(self)))

    def __index__(self):
        return len(self)


Interval.EMPTY = Interval(1, 0)


def solve(constraints):
    known = {}
    for name, interval in constraints:
        known[name] = known.get(name, Interval()) & interval
    return {name: interval for name, interval in known.items() if interval}


def agent_main(problem, find):
    wanted = solve([("price", Interval(180, 505)), ("price", Interval(high=400)), ("size", Interval(36, 40))])
    print(f"{wanted['price']:.1f}", f"{(wanted['price'] * 2 - 10) / 3!r}", round(wanted["size"]))
    return [o for o in find(problem["goal_text"]) if all(o.get(name, math.nan) in i for name, i in wanted.items())]
