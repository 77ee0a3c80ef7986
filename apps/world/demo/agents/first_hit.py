"""Buys whatever the search shows first."""

from shop_tools import cart, search

CARE = 0.35


def agent_main(problem):
    for product in search(problem["goal_text"], limit=1):
        cart.add(product["product_id"])
    return cart.checkout()
