# Stands alone.
import shop_tools
from shop_tools import find
class Node:
    _registry = {}
    def __init_subclass__(cls, /, kind=None, **kw):
        super().__init_subclass__(**kw)
        Node._registry[kind or cls.__name__] = cls
    def __init__(self, *children):
        self._children = list(children)
    def walk(self):
        yield self
        for c in self._children:
            yield from c.walk()
    def same(self, other):
        return isinstance(other, Node) and self._children == other._children
class And(Node, kind="and"):
    pass
class Or(Node, kind="or"):
    pass
def make(kind, *children):
    return Node._registry[kind](*children)
def agent_main(problem):
    tree = make("and", make("or"))
    names = [type(n).__name__ for n in tree.walk()]
    groups = {}
    for n in tree.walk():
        groups.setdefault(type(n), []).append(n)
    return find(problem), names, len(groups)
