"""A tiny fluent query language over lists of dicts, with lazy generators."""
from __future__ import annotations

import fnmatch
import itertools
from operator import itemgetter


class Expression:
    def __init__(self, test, text):
        self.test, self.text = test, text

    def __call__(self, row):
        return self.test(row)

    def __and__(self, other):
        return Expression(lambda row: self(row) and other(row), f"({self.text} and {other.text})")

    def __or__(self, other):
        return Expression(lambda row: self(row) or other(row), f"({self.text} or {other.text})")

    def __invert__(self):
        return Expression(lambda row: not self(row), f"not {self.text}")

    def __repr__(self):
        return f"<where {self.text}>"


class Column:
    def __init__(self, name):
        self.name = name

    def _compare(self, symbol, test):
        return Expression(lambda row: self.name in row and test(row[self.name]), f"{self.name} {symbol}")

    def __lt__(self, value):
        return self._compare(f"< {value!r}", lambda own: own < value)

    def __ge__(self, value):
        return self._compare(f">= {value!r}", lambda own: own >= value)

    def __eq__(self, value):
        return self._compare(f"= {value!r}", lambda own: own == value)

    def __ne__(self, value):
        return ~(self == value)

    __hash__ = None

    def like(self, pattern):
        return self._compare(f"like {pattern!r}", lambda own: fnmatch.fnmatch(own.lower(), pattern.replace("%", "*").lower()))

    def is_in(self, *values):
        return self._compare(f"in {values!r}", lambda own: own in values)


class Columns:
    def __getattr__(self, name):
        return Column(name)


class Query:
    def __init__(self, rows):
        self._rows = rows

    def where(self, expression):
        return Query(row for row in self._rows if expression(row))

    def order_by(self, *names, descending=False):
        return Query(sorted(self._rows, key=itemgetter(*names), reverse=descending))

    def limit(self, n):
        return Query(itertools.islice(self._rows, n))

    def select(self, *names):
        return Query({name: row.get(name) for name in names} for row in self._rows)

    def group_by(self, name):
        for value, rows in itertools.groupby(self.order_by(name), key=itemgetter(name)):
            yield value, list(rows)

    def __iter__(self):
        yield from self._rows

    def first(self, default=None):
        return next(iter(self), default)


c = Columns()


def agent_main(problem, find):
    wanted = (c.price < 505) & (c.price >= 180) & (c.title.like("%waist bag%") | c.brand.is_in("hosport", "oem")) & (c.stock != 0)
    print(wanted)
    row = Query(find(problem["goal_text"])).where(wanted).order_by("rating", "price", descending=True).limit(1).first()
    return row and row["product_id"]
