"""Reads events with match statements, walrus operators and positional-only parameters."""
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Tool(StrEnum):
    FIND = "find_product"
    VIEW = "view_product_information"
    BUY = "recommend_product"
    END = "terminate"


class Level(IntEnum):
    EASY = 1
    MEDIUM = 2
    HARD = 3


@dataclass(kw_only=True)
class Event:
    tool: Tool
    arguments: dict
    cost: float = 0.0


@dataclass
class Point:
    x: float
    y: float = 0.0


def step(event, state, /, *, verbose=False):
    match event:
        case Event(tool=Tool.FIND, arguments={"query": str(query), **rest}) if query:
            return {**state, "query": query, "page": rest.get("page", 1)}
        case Event(tool=Tool.VIEW, arguments={"product_ids": [first, *others]}):
            return {**state, "viewed": (first, *others)}
        case Event(tool=Tool.BUY, arguments={"product_ids": str() | int() as only}):
            return {**state, "bought": str(only)}
        case Event(tool=Tool.END):
            return None
        case {"type": "error", "code": 400 | 404 | 422 as code, "detail": {"message": message}}:
            return {**state, "error": f"{code}: {message}"}
        case {"type": "error", "code": int(code)} if 500 <= code < 600:
            return {**state, "retry": state.get("retry", 0) + 1}
        case [Point(x=0), Point(0, y=float(height))]:
            return {**state, "height": height}
        case [_, _, *_] | (_,):
            return {**state, "many": True}
        case -1 | 2.5 | True | None | "nothing":
            return state
        case _:
            if verbose:
                print("unknown", event)
            return state


def difficulty(goal: str) -> Level:
    match goal.count(" and "), len(goal):
        case (0, n) if n < 80:
            return Level.EASY
        case (0 | 1, _):
            return Level.MEDIUM
    return Level.HARD


def replies(ask):
    while (reply := ask()) is not None and (text := reply.strip()):
        yield text


def agent_main(problem, ask):
    state: dict | None = {"level": difficulty(problem["goal_text"])}
    for text in replies(ask):
        if (found := text.partition(":"))[1] and (name := found[0].strip()) in {tool.value for tool in Tool}:
            state = step(Event(tool=Tool(name), arguments={"query": found[2]}), state or {})
        if state is None:
            break
    match = {"case": state}
    case = match["case"]
    type = "soft keywords are names too"
    return case, type
