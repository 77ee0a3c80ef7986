"""Counts common words between goal and title; knows nothing of prices."""

from collections import Counter

from shop_tools import cart, search

CARE = 0.6


def overlap(goal, title):
    shared = Counter(goal.lower().split()) & Counter(title.lower().split())
    return sum(shared.values())


def agent_main(problem):
    goal = problem["goal_text"]
    found = search(goal, limit=20)
    best = max(found, key=lambda product: overlap(goal, product["title"]), default=None)
    if best is not None:
        cart.add(best["product_id"])
    return cart.checkout()
