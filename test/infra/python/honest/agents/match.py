# Stands alone.
from dataclasses import dataclass
import logging
logging.basicConfig(level="INFO")
@dataclass
class Point:
    x: int
    y: int
class Meta(type):
    def __new__(mcs, name, bases, ns):
        return super().__new__(mcs, name, bases, ns)
def f(p):
    match p:
        case Point(x, y) if x == y:
            return "diag"
        case {"kind": str(kind), **rest}:
            return kind, rest
        case [int() | float() as head, *_]:
            return head
        case str() | bytes():
            return "text"
    return "%s" % type(p).__name__
def chart(rows, style):
    return rows
class Chart:
    def draw(self, rows, style=None):
        return chart(rows, style=style)
def agent_main(problem, find):
    return [f(Point(1, 1)), Chart().draw([], style=problem)]
