"""Plans steps as a graph: topological order, memoised costs, coroutines that send values."""
from collections import defaultdict
from collections.abc import Generator
from functools import cache
from graphlib import CycleError, TopologicalSorter
import array
import ipaddress
import random
import secrets
import weakref

PLAN = {"pay": {"compare", "voucher"}, "compare": {"view"}, "view": {"search"}, "voucher": {"search"}, "search": {"read"}, "read": set()}
COST = {"read": 1, "search": 5, "view": 3, "compare": 2, "voucher": 1, "pay": 1}
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107,
          109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229]
POPCOUNT = bytes(bin(n).count("1") for n in range(256))
SBOX = [(n * 7 + 99) % 256 for n in range(256)]
PERMUTATION = [58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8]
WEIGHTS = array.array("d", [0.35, 0.25, 0.2, 0.1, 0.05, 0.05])


@cache
def cost(step):
    return COST[step] + max((cost(before) for before in PLAN[step]), default=0)


def order():
    try:
        return list(TopologicalSorter(PLAN).static_order())
    except CycleError as error:
        return error.args[1]


def running_mean() -> Generator[float, float, int]:
    total, n, mean = 0.0, 0, 0.0
    while True:
        value = yield mean
        if value is None:
            return n
        total, n = total + value, n + 1
        mean = total / n


def flatten(tree):
    for branch in tree:
        if isinstance(branch, (list, tuple)):
            yield from flatten(branch)
        else:
            yield branch


def bandit(arms, pulls=100, epsilon=0.1, rng=random.Random(42)):
    counts, values = defaultdict(int), defaultdict(float)
    for _ in range(pulls):
        arm = rng.choice(arms) if rng.random() < epsilon else max(arms, key=values.__getitem__)
        reward = arm["rating"] if isinstance(arm, dict) else rng.random()
        counts[arm] += 1
        values[arm] += (reward - values[arm]) / counts[arm]
    return max(values, key=values.get)


def visitor(node, depth=0):
    nonlocal_count = 0

    def visit(inner):
        nonlocal nonlocal_count
        nonlocal_count += 1
        return [visit(child) for child in inner] if isinstance(inner, list) else inner

    visit(node)
    return nonlocal_count


def agent_main(problem, find):
    mean = running_mean()
    next(mean)
    means = [mean.send(float(offer["price"])) for offer in find(problem["goal_text"])]
    mean.close()
    token = secrets.token_hex(8) + str(ipaddress.ip_address("127.0.0.1"))
    print(order(), {step: cost(step) for step in PLAN}, list(flatten([1, [2, (3, [4])]])), visitor([1, [2]]), token[:4])
    return bandit(("a", "b", "c")), means, sum(w * p for w, p in zip(WEIGHTS, PRIMES)), [POPCOUNT[n] for n in PERMUTATION]
