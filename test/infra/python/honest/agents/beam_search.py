"""Beam search over carts: which set of offers answers several wishes at the lowest total."""
import heapq
import itertools
from functools import total_ordering
from typing import Iterator


@total_ordering
class Basket:
    __slots__ = "cost", "shop", "picks"

    def __init__(self, cost: float = 0.0, shop: str | None = None, picks: tuple = ()):
        self.cost, self.shop, self.picks = cost, shop, picks

    def __lt__(self, other):
        return (self.cost, len(self.picks)) < (other.cost, len(other.picks))

    def __eq__(self, other):
        return self.picks == other.picks if isinstance(other, Basket) else NotImplemented

    def __hash__(self):
        return hash(self.picks)

    def __add__(self, offer):
        return Basket(self.cost + offer["price"], offer.get("shop_id"), self.picks + (offer["product_id"],))

    __radd__ = __add__

    def __bool__(self):
        return bool(self.picks)

    def __iter__(self) -> Iterator[str]:
        yield from self.picks

    def __getitem__(self, at):
        return self.picks[at]


def beam(wishes, offers_of, width=8, one_shop=True):
    baskets = [Basket()]
    for wish in wishes:
        grown = (
            basket + offer
            for basket in baskets
            for offer in offers_of(wish)
            if not one_shop or basket.shop in (None, offer.get("shop_id"))
        )
        baskets = heapq.nsmallest(width, grown)
        if not baskets:
            return None
    return baskets[0]


def all_pairs(left, right):
    for a, b in itertools.product(left, right):
        if a["shop_id"] == b["shop_id"]:
            yield a, b


def dijkstra(graph, start):
    best, queue = {start: 0}, [(0, start)]
    while queue:
        cost, node = heapq.heappop(queue)
        if cost > best.get(node, float("inf")):
            continue
        for other, extra in graph.get(node, {}).items():
            if (total := cost + extra) < best.get(other, float("inf")):
                best[other] = total
                heapq.heappush(queue, (total, other))
    return best


def knapsack(offers, budget):
    table = [0] * (budget + 1)
    for value, price in offers:
        for left in range(budget, price - 1, -1):
            table[left] = max(table[left], table[left - price] + value)
    return table[budget]


def agent_main(problem, find):
    wishes = [part.strip() for part in problem["goal_text"].split(" and ") if part.strip()]
    basket = beam(wishes, lambda wish: find(wish, limit=12))
    return list(basket) if basket else [offer["product_id"] for offer in itertools.islice(find(problem["goal_text"]), 1)]
