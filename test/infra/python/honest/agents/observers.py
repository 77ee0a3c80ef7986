"""Events, observers, a blackboard, commands with undo, an iterator protocol and thread-safe counters."""
import copy
import sched
import threading
import time
import uuid
import weakref
from collections import ChainMap, UserDict, UserList
from contextvars import ContextVar
from types import SimpleNamespace

current = ContextVar("current", default=None)


class Blackboard(UserDict):
    def __init__(self, *args, **options):
        self._watchers = weakref.WeakSet()
        super().__init__(*args, **options)

    def watch(self, watcher):
        self._watchers.add(watcher)
        return watcher

    def __setitem__(self, key, value):
        before = self.data.get(key)
        super().__setitem__(key, value)
        for watcher in list(self._watchers):
            watcher(key, before, value)

    def __delitem__(self, key):
        self[key] = None
        super().__delitem__(key)

    def __ior__(self, other):
        self.update(other)
        return self


class Log(UserList):
    def __call__(self, key, before, after):
        self.append(SimpleNamespace(key=key, before=before, after=after, at=time.perf_counter()))

    __hash__ = object.__hash__

    def __enter__(self):
        self.token = current.set(self)
        return self

    def __exit__(self, *details):
        current.reset(self.token)


class Command:
    def __init__(self, board, key, value):
        self.id, self.board, self.key, self.value = uuid.uuid4(), board, key, value

    def __call__(self):
        self.old = copy.deepcopy(self.board.get(self.key))
        self.board[self.key] = self.value
        return self

    def undo(self):
        self.board[self.key] = self.old


class Countdown:
    def __init__(self, start):
        self.start, self.lock = start, threading.Lock()

    def __iter__(self):
        return self

    def __next__(self):
        with self.lock:
            if self.start <= 0:
                raise StopIteration
            self.start -= 1
            return self.start

    def __length_hint__(self):
        return self.start

    def __del__(self):
        self.start = 0


def agent_main(problem, find):
    defaults = {"limit": 10, "sort": "price"}
    options = ChainMap(problem.get("options", {}), defaults)
    board, events = Blackboard(goal=problem["goal_text"]), Log()
    board.watch(events)
    with events:
        step = Command(board, "offers", find(board["goal"], limit=options["limit"]))()
        if not board["offers"]:
            step.undo()
        board |= {"left": list(Countdown(3))}
    timer = sched.scheduler(time.monotonic, time.sleep)
    timer.enter(0, 1, board.__setitem__, ("done", True))
    timer.run()
    return board.get("offers"), len(events)
