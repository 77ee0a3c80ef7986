# Functional style: everything is a composition of small functions, no classes at all.
import operator as op
import re
from functools import cache, partial, reduce
from itertools import chain, compress, count, groupby, islice, pairwise, starmap, takewhile, tee, zip_longest
from operator import attrgetter, itemgetter, methodcaller

compose = lambda *fs: reduce(lambda f, g: lambda *a, **k: f(g(*a, **k)), fs)
identity = lambda x: x
flip = lambda f: lambda a, b: f(b, a)
pipe = lambda value, *fs: reduce(lambda acc, f: f(acc), fs, value)
lower, strip, split = methodcaller("lower"), methodcaller("strip"), methodcaller("split")
price, title = itemgetter("price"), itemgetter("title")
tokens = compose(split, partial(re.sub, r"[^\w\s]+", " "), lower, strip)

curry = lambda f, n: (lambda *a: f(*a) if len(a) >= n else curry(partial(f, *a), n - len(a)))
add3 = curry(lambda a, b, c: a + b + c, 3)


@cache
def gcd(a, b):
    return a if not b else gcd(b, a % b)


def windowed(items, size):
    iterators = tee(items, size)
    for skip, iterator in enumerate(iterators):
        next(islice(iterator, skip, skip), None)
    return zip(*iterators)


def bigrams(words):
    return list(starmap("{} {}".format, pairwise(words)))


def by(key, items):
    return {k: list(g) for k, g in groupby(sorted(items, key=key), key=key)}


def overlap(goal, offer):
    a, b = set(tokens(goal)), set(tokens(title(offer)))
    return len(a & b) / (len(a | b) or 1)


def ranked(goal, offers):
    scored = map(lambda offer: (overlap(goal, offer), -price(offer), offer["product_id"]), offers)
    return sorted(scored, reverse=True)


def spaced(items, fill=None):
    return list(chain.from_iterable(zip_longest(items[::2], items[1::2], fillvalue=fill)))


def under(limit):
    return partial(filter, lambda offer: op.le(price(offer), limit))


def act(goal, find, limit=float("inf")):
    offers = pipe(goal, find, under(limit), list)
    best = next(iter(ranked(goal, offers)), None)
    return best and best[-1]


numbered = dict(zip("abcdefghij", count(1)))
small = list(takewhile(lambda n: n < 50, (n * n for n in count())))
picked = list(compress("abcdef", [1, 0, 1, 0, 1, 1]))
assert add3(1)(2)(3) == add3(1, 2)(3) == 6
assert sorted([complex(2, 1), complex(1, 2)], key=attrgetter("real"))[0].real == 1
