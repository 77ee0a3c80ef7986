"""Always takes the cheapest product that answers to the goal's words."""

import heapq
import re

from shop_tools import cart, search

CARE = 0.82


def key_words(goal_text):
    return [word.lower() for word in re.findall(r"[A-Za-z]{4,}", goal_text)]


def matches(product, words):
    title = product["title"].lower()
    return any(word in title for word in words)


def agent_main(problem):
    words = key_words(problem["goal_text"])
    found = (product for product in search(" ".join(words), limit=30) if matches(product, words))
    cheapest = heapq.nsmallest(1, found, key=lambda product: product["price"])
    for product in cheapest:
        cart.add(product["product_id"])
    return cart.checkout()
