"""Submitted in the middle of a sentence; it does not parse."""

from shop_tools import cart, search

CARE = 0.9


def agent_main(problem)
    for product in search(problem["goal_text"]):
        cart.add(product["product_id"])
    return cart.checkout(
