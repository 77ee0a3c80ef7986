"""Vouchers: reads the rules out of the goal and finds the set of offers that just fits the budget."""
import re
from collections import namedtuple
from fractions import Fraction
from itertools import combinations, product as cartesian

Rule = namedtuple("Rule", "budget threshold kind amount cap")
BUDGET = re.compile(r"[Bb]udget is only `(\d+(?:\.\d+)?)`")
THRESHOLD = re.compile(r"exceeds `(\d+(?:\.\d+)?)`")
PERCENT = re.compile(r"percentage discount of `(\d+)%`(?: with a cap of `(\d+)`)?")
FIXED = re.compile(r"fixed discount of `(\d+)`")
# A goal in the words of the marketplace; prices are in pesos.
SAMPLE = """Looking for a thick seat cushion pad for office or home chairs

My budget is only `263`, but I have a voucher with the following rules:
1. The voucher applies to all products.
2. It is valid only when the total price of the products exceeds `257`.
3. It provides a percentage discount of `35%` with a cap of `172`."""


def read(goal):
    first = lambda pattern, default=0: Fraction(m[1]) if (m := pattern.search(goal)) else Fraction(default)
    if percent := PERCENT.search(goal):
        return Rule(first(BUDGET), first(THRESHOLD), "percent", Fraction(int(percent[1]), 100), int(percent[2] or 10**9))
    return Rule(first(BUDGET), first(THRESHOLD), "fixed", first(FIXED), 10**9)


def total(prices, rule):
    whole = sum(map(Fraction, prices))
    if whole <= rule.threshold:
        return whole
    saved = whole * rule.amount if rule.kind == "percent" else rule.amount
    return max(Fraction(0), whole - min(saved, rule.cap))


def wishes(goal):
    head = goal.split("\n\n", 1)[0]
    head = re.sub(r"^(?:Looking for|Show me|Find|I'm looking for|I need)\s+", "", head, flags=re.I)
    return [part.strip(" .?") for part in re.split(r",?\s+and(?: also)?\s+|;\s*|\. Also,? ", head) if part.strip()]


def choose(groups, rule):
    fits = [pick for pick in cartesian(*groups) if total([o["price"] for o in pick], rule) <= rule.budget]
    return max(fits, key=lambda pick: sum(o.get("rating", 0) for o in pick), default=())


assert read(SAMPLE) == Rule(263, 257, "percent", Fraction(7, 20), 172), read(SAMPLE)
assert total([300], read(SAMPLE)) == 195 and wishes("Looking for a red mug, and a blue cup") == ["a red mug", "a blue cup"]


def agent_main(problem, find):
    goal = problem["goal_text"]
    rule = read(goal)
    groups = [find(wish, limit=8) for wish in wishes(goal)]
    picked = choose(groups, rule) or [min(group, key=lambda o: o["price"]) for group in groups if group]
    pairs = list(combinations((offer["product_id"] for offer in picked), 2))
    return ",".join(offer["product_id"] for offer in picked), len(pairs)
