"""Asks for several searches at once and takes the first good answer; everything is asyncio."""
import asyncio
import contextlib
import functools
import random
from typing import AsyncIterator, Awaitable, Callable, ParamSpec, TypeVar

from shop_tools import cart, search

P = ParamSpec("P")
T = TypeVar("T")


class GaveUp(RuntimeError):
    """Every attempt failed."""


def retried(times: int = 3, pause: float = 0.2) -> Callable[[Callable[P, Awaitable[T]]], Callable[P, Awaitable[T]]]:
    def decorate(function: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
        @functools.wraps(function)
        async def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
            last: BaseException | None = None
            for attempt in range(times):
                try:
                    return await function(*args, **kwargs)
                except (TimeoutError, asyncio.TimeoutError, ConnectionError) as problem:
                    last = problem
                    await asyncio.sleep(pause * 2**attempt * (1 + random.random() / 10))
            raise GaveUp(f"{function.__name__} failed {times} times") from last

        return wrapper

    return decorate


@retried(times=4)
async def look(query: str, gate: asyncio.Semaphore) -> list[dict]:
    async with gate:
        return await asyncio.wait_for(asyncio.to_thread(search, query, limit=15), timeout=20)


def spellings(goal: str) -> list[str]:
    words = goal.lower().split()
    return list(dict.fromkeys([goal, " ".join(words[:6]), " ".join(w for w in words if len(w) > 4)]))


async def offers(goal: str) -> AsyncIterator[dict]:
    gate, seen = asyncio.Semaphore(3), set()
    tasks = [asyncio.create_task(look(query, gate), name=query[:20]) for query in spellings(goal)]
    for finished in asyncio.as_completed(tasks):
        with contextlib.suppress(GaveUp):
            for offer in await finished:
                if (key := offer["product_id"]) not in seen:
                    seen.add(key)
                    yield offer


async def choose(goal: str) -> dict | None:
    found = [offer async for offer in offers(goal) if offer.get("stock", 1) > 0]
    return min(found, key=lambda offer: offer["price"], default=None)


@contextlib.asynccontextmanager
async def deadline(seconds: float):
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        async with asyncio.timeout(seconds):
            yield
    finally:
        print(f"took {loop.time() - began:.1f} s")


async def shop(problem: dict) -> object:
    async with deadline(90):
        best = await choose(problem["goal_text"])
        if best is not None:
            cart.add(best["product_id"])
    return cart.checkout()


def agent_main(problem):
    return asyncio.run(shop(problem))
