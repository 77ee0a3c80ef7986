"""Reads the goal closely, compares every candidate and checks the cart before it pays."""

import re
from dataclasses import dataclass

from shop_tools import cart, search

CARE = 0.95

COLOURS = {"black", "white", "green", "blue", "red", "grey"}
PRICE = re.compile(r"(\d+(?:\.\d+)?) EUR")
RATING = re.compile(r"rating of at least (\d(?:\.\d)?)")


@dataclass(frozen=True)
class Wish:
    words: tuple
    colour: str
    price_max: float
    rating_min: float


def read_goal(goal_text):
    words = tuple(re.findall(r"[A-Za-z-]+", goal_text))
    colours = [word for word in words if word in COLOURS]
    price = PRICE.search(goal_text)
    rating = RATING.search(goal_text)
    return Wish(
        words=words,
        colour=colours[0] if colours else "",
        price_max=float(price.group(1)) if price else float("inf"),
        rating_min=float(rating.group(1)) if rating else 0.0,
    )


def fits(product, wish):
    return (
        product["price"] <= wish.price_max
        and product["rating"] >= wish.rating_min
        and (not wish.colour or product["colour"] == wish.colour)
    )


def score(product, wish):
    title = set(product["title"].lower().split())
    hits = sum(1 for word in wish.words if word.lower() in title)
    return (hits, product["rating"], -product["price"])


def agent_main(problem):
    wish = read_goal(problem["goal_text"])
    candidates = [found for found in search(problem["goal_text"], limit=50) if fits(found, wish)]
    for product in sorted(candidates, key=lambda found: score(found, wish), reverse=True)[:3]:
        cart.add(product["product_id"])
        if cart.total() <= wish.price_max:
            return cart.checkout()
        cart.remove(product["product_id"])
    return None
