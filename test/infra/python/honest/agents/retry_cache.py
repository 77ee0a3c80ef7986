"""Decorators: retries, a TTL cache, a rate limiter, a circuit breaker, timing."""
import functools
import queue
import random
import threading
import time
from collections import OrderedDict, deque
from concurrent.futures import ThreadPoolExecutor, TimeoutError as FutureTimeout, as_completed
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

MANILA = ZoneInfo("Asia/Manila")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
SALES = {"11.11": (1731254400, 1731340799), "12.12": (1733932800, 1734019199), "3.3": (1740931200, 1741017599)}


class Unavailable(Exception):
    pass


class Ttl(OrderedDict):
    def __init__(self, seconds, size=256, clock=time.monotonic):
        super().__init__()
        self.seconds, self.size, self.clock = seconds, size, clock

    def __setitem__(self, key, value):
        super().__setitem__(key, (self.clock() + self.seconds, value))
        self.move_to_end(key)
        while len(self) > self.size:
            self.popitem(last=False)

    def __getitem__(self, key):
        until, value = super().__getitem__(key)
        if until < self.clock():
            del self[key]
            raise KeyError(key)
        return value

    def __missing__(self, key):
        raise KeyError(key)


def cached(seconds):
    def decorate(function):
        store, lock = Ttl(seconds), threading.RLock()

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            key = (args, frozenset(kwargs.items()))
            with lock:
                try:
                    return store[key]
                except KeyError:
                    pass
            value = function(*args, **kwargs)
            with lock:
                store[key] = value
            return value

        wrapper.cache = store
        return wrapper

    return decorate


class Limiter:
    def __init__(self, per_second):
        self.times, self.per_second, self.lock = deque(maxlen=per_second), per_second, threading.Lock()

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with self.lock:
                if len(self.times) == self.per_second and (rest := 1 - (time.monotonic() - self.times[0])) > 0:
                    time.sleep(rest)
                self.times.append(time.monotonic())
            return function(*args, **kwargs)

        return wrapper


def retry(*errors, times=3, base=0.1):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return function(*args, **kwargs)
                except errors as problem:
                    if attempt + 1 == times:
                        raise Unavailable(f"{function.__qualname__}: {problem}") from problem
                    time.sleep(base * 2**attempt + random.uniform(0, base))
        return wrapper
    return decorate


def is_sale(now=None):
    now = now or datetime.now(MANILA)
    seconds = (now - EPOCH) // timedelta(seconds=1)
    return any(begin <= seconds <= end for begin, end in SALES.values())


def agent_main(problem, find):
    looked = Limiter(5)(retry(OSError, ConnectionError, times=4)(cached(30)(find)))
    answers: queue.Queue = queue.Queue()
    with ThreadPoolExecutor(max_workers=3, thread_name_prefix="find") as pool:
        futures = {pool.submit(looked, word): word for word in problem["goal_text"].split()[:3]}
        for future in as_completed(futures):
            try:
                answers.put((futures[future], future.result(timeout=10)))
            except FutureTimeout:
                continue
    print(f"{datetime.now(tz=MANILA):%Y-%m-%d %H:%M:%S %Z} sale={is_sale()}")
    return answers.get_nowait() if not answers.empty() else None
