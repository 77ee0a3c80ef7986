# Stands alone.
import functools, copy
class Frozen:
    __slots__ = ("_items", "_hash")
    def __init__(self, items):
        object.__setattr__(self, "_items", tuple(items))
        object.__setattr__(self, "_hash", None)
    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} is frozen: {name}")
    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return self._items == other._items
    def __hash__(self):
        return hash((type(self), self._items))
    def replace(self, items):
        return type(self)(items)
class Dict(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error
def agent_main(problem, find):
    return Frozen([1]).replace([2])
