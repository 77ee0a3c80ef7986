"""Clean to the analyser, but it raises before its first step: three such runs discard it."""

from os import getenv

from shop_tools import cart

CARE = 0.9

if getenv("SHOP_TOKEN") is None:
    print("no SHOP_TOKEN, and nobody ever sets one")

raise RuntimeError("this agent was never tried before it was submitted")


def agent_main(problem):
    return cart.checkout()
