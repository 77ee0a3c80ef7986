"""Sizes, units and semantic versions: dense numeric tables that are what they say."""
from bisect import bisect
from collections import defaultdict
from functools import singledispatch

EU_TO_CM = {35: 22.5, 36: 23.0, 37: 23.5, 38: 24.5, 39: 25.0, 40: 25.5, 41: 26.0, 42: 26.5, 43: 27.5, 44: 28.0, 45: 29.0, 46: 29.5}
BUCKETS = [0, 49, 99, 149, 199, 249, 299, 349, 399, 449, 499, 599, 699, 799, 899, 999, 1249, 1499, 1749, 1999, 2499, 2999,
           3499, 3999, 4999, 5999, 6999, 7999, 8999, 9999, 12499, 14999, 17499, 19999, 24999, 29999, 39999, 49999, 99999]
ASCII_WIDTHS = [32, 35, 36, 37, 38, 40, 41, 42, 44, 45, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80,
                82, 84, 86, 88, 90, 92, 94, 96, 98, 100, 102, 104, 106, 108, 110, 112, 114, 116, 118, 120, 122, 124]
BATTERY = "1000 1500 2000 2500 3000 3500 4000 4500 5000 5500 6000 7000 8000 10000 12000 15000 20000 26800 30000".split()
SCREENS = """5.0 5.5 6.1 6.5 6.67 6.7 6.78 6.8 7.0 8.0 8.7 10.1 10.4 10.9 11.0 12.4 12.9 13.3 14.0 15.6 16.0 17.3 21.5 23.8 24 27 32
43 50 55 65 75 85 98"""
TYRES = ["70/90-17", "80/90-17", "90/80-14", "100/80-14", "110/70-13", "120/70-13", "205/55R16", "195/65R15", "225/45ZR17"]
LENSES = {"E-mount": (16, 24, 35, 50, 85, 135), "RF": (14, 16, 24, 35, 50, 85, 100)}
ZONES = {"Luzon": range(1000, 5600), "Visayas": range(5600, 7000), "Mindanao": range(7000, 9900)}
FEES = [(0, 500, 49), (500, 1000, 69), (1000, 3000, 99), (3000, 5000, 149), (5000, 10000, 249), (10000, 20000, 399)]
MATRIX = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
BIG = [10**n for n in range(12)] + [1_000_000_000, 2_147_483_647, 4_294_967_295, 9_007_199_254_740_991]
SALE_STARTS = [1694649600, 1699632000, 1702224000, 1709251200, 1714492800, 1717171200]


@singledispatch
def version(value):
    return (0,)


@version.register
def _(value: str):
    return tuple(int(part) if part.isdigit() else 0 for part in value.lstrip("v").split("."))


@version.register(int)
@version.register(float)
def _(value):
    return version(str(value))


class Money(int):
    def __new__(cls, pesos, cents=0):
        return super().__new__(cls, round(pesos * 100) + cents)

    def __str__(self):
        return f"₱{self // 100:,}.{self % 100:02d}"

    def __mul__(self, k):
        return Money(0, round(int(self) * k))

    __rmul__ = __mul__


def bucket(price):
    at = bisect(BUCKETS, price)
    return BUCKETS[at - 1], BUCKETS[at] if at < len(BUCKETS) else float("inf")


def fee(weight):
    return next((cost for low, high, cost in FEES if low <= weight < high), None)


def agent_main(problem, find):
    groups = defaultdict(list)
    for offer in find(problem["goal_text"]):
        groups[bucket(offer["price"])].append(offer)
    print(Money(12.5) * 3, version("v1.2.10") > version("1.2.9"), fee(750), EU_TO_CM.get(42), BIG[-1], SCREENS.split()[0], BATTERY[0])
    return groups and groups[min(groups)][0]["product_id"]
