"""Reads the goal closely, compares every candidate and looks at the sum before it pays."""

import re
from dataclasses import dataclass
from itertools import product as combinations_of

from shop_tools import cart, search, vouchers

CARE = 0.95

PRICE = re.compile(r"at most (\d+\.\d\d) EUR")
RATING = re.compile(r"rating of at least (\d\.\d)")


@dataclass(frozen=True)
class Wish:
    price_max: float
    rating_min: float
    together: bool
    same_shop: bool
    cheapest: bool
    best_rated: bool
    voucher: bool


def read_goal(goal_text):
    price = PRICE.search(goal_text)
    rating = RATING.search(goal_text)
    return Wish(
        price_max=float(price.group(1)) if price else float("inf"),
        rating_min=float(rating.group(1)) if rating else 0.0,
        together="together" in goal_text,
        same_shop="one and the same shop" in goal_text,
        cheapest="cheapest" in goal_text,
        best_rated="rated best" in goal_text,
        voucher="voucher" in goal_text,
    )


def wanted_kinds(goal_text, found):
    words = re.findall(r"[a-z]+", goal_text.lower())
    kinds = {each["kind"] for each in found}
    return [word for word in words if word in kinds]


def named(goal_text, found, field):
    """The values of a field that the goal names, as a brand or a seller."""
    return {each[field] for each in found if re.search(rf"\b{re.escape(each[field])}\b", goal_text)}


def candidates_for(kind, goal_text, wish):
    found = [each for each in search(kind, limit=50) if each["kind"] == kind]
    for field in ("brand", "colour", "seller"):
        values = named(goal_text, found, field)
        if values:
            found = [each for each in found if each[field] in values]
    price_max = float("inf") if wish.together else wish.price_max
    return [
        each for each in found if each["rating"] >= wish.rating_min and each["price"] <= price_max
    ]


def fits_together(choice, wish):
    shops = {each["seller"] for each in choice}
    total = sum(round(each["price"] * 100) for each in choice)
    within = not wish.together or total <= round(wish.price_max * 100)
    return within and (not wish.same_shop or len(shops) == 1)


def order_of(wish):
    if wish.best_rated:
        return lambda choice: -sum(each["rating"] for each in choice)
    return lambda choice: sum(each["price"] for each in choice)


def agent_main(problem):
    goal = problem["goal_text"]
    wish = read_goal(goal)
    kinds = wanted_kinds(goal, search(goal, limit=50))
    choices = combinations_of(*[candidates_for(kind, goal, wish) for kind in kinds])
    fitting = [choice for choice in choices if fits_together(choice, wish)]
    if not fitting:
        return None
    best = min(fitting, key=order_of(wish))
    for each in best:
        cart.add(each["product_id"])
    if wish.voucher:
        for voucher in vouchers():
            if voucher["seller"] == best[0]["seller"]:
                cart.use_voucher(voucher["code"])
    return cart.checkout()
