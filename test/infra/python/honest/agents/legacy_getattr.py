# Ported from Python 2: getattr with names written out, hasattr everywhere, type() checks, old classes.
from __future__ import absolute_import, division, print_function, unicode_literals

import copy
import time
import types

try:
    import json
except ImportError:
    json = None

try:
    from shop_tools import cart
except ImportError as error:
    cart = None

input = "a name of our own"
vars_ = {}
file = "also ours"


class Struct(object):
    """Attributes from a dict, as people used to write it."""

    def __init__(self, **entries):
        for key in ("title", "price", "rating"):
            setattr(self, "title", entries.get("title", ""))
        self.price = entries.get("price", 0)
        self.rating = entries.get("rating", 0)
        self.entries = dict(entries)

    def __getitem__(self, key):
        return self.entries[key]

    def __bool__(self):
        return bool(self.entries)

    def label(self):
        return u"%s (%s)" % (self.title, self.price)

    def __repr__(self):
        return str("<%s %r>") % (self.__class__.__name__, self.title)


def to_list(value):
    if type(value) is list:
        return value
    if type(value) in (tuple, set, types.GeneratorType):
        return list(value)
    if hasattr(value, "items") and callable(getattr(value, "items", None)):
        return sorted(value.items())
    return [value]


def best_of(offers):
    best = None
    for offer in to_list(offers):
        item = Struct(**offer) if isinstance(offer, dict) else offer
        if best is None or getattr(item, "rating", 0) > getattr(best, "rating", 0):
            best = copy.copy(item)
    return best


def compile(words):
    return " ".join(words)


class Door(object):
    is_open = property(lambda self: getattr(self, "_open", False))

    def open(self):
        self._open = True

    def exec(self, action):
        return action(self)


def agent_main(problem, find):
    started = time.time()
    door = Door(); door.open(); door.exec(lambda d: d.is_open)
    item = best_of(find(compile(problem["goal_text"].split()[:8])))
    if item and cart is not None and hasattr(cart, "add"):
        cart.add(item["product_id"])
    print("%.3f seconds, %r" % (time.time() - started, item))
    return json.dumps(getattr(item, "entries", None), sort_keys=True)
