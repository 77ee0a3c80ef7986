# Stands alone.
from functools import singledispatch, singledispatchmethod
@singledispatch
def show(x):
    return repr(x)
@show.register
def _(x: int) -> str:
    return f"{x:d}"
@show.register
def _(x: "list") -> str:
    return ", ".join(map(show, x))
@show.register(dict)
@show.register(tuple)
def _(x):
    return "many"
class V:
    @singledispatchmethod
    def visit(self, node):
        raise TypeError(type(node).__name__)
    @visit.register
    def _(self, node: str):
        return node
def agent_main(problem, find):
    return show([1, {}]) + V().visit("a")
