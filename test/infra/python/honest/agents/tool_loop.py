"""A loop over JSON tool calls with a registry of decorated functions."""
import json
import logging
import os
import sys
import traceback
from typing import Any, Callable, Dict, List, Optional, Tuple

from shop_tools import cart, search, chat

logger = logging.getLogger("agent.loop")
MODEL = os.environ.get("AGENT_MODEL", "claude-3-5-sonnet-20241022")
MAX_STEPS = int(os.getenv("AGENT_MAX_STEPS", "15"))
REGISTRY: Dict[str, Tuple[Callable[..., Any], Dict[str, Any]]] = {}


def tool(name: Optional[str] = None, **schema: Any) -> Callable:
    """Registers a function under its own name, with a JSON schema for the model."""

    def register(function: Callable) -> Callable:
        REGISTRY[name or function.__name__] = (function, {
            "name": name or function.__name__,
            "description": (function.__doc__ or "").strip(),
            "input_schema": {"type": "object", "properties": schema, "required": list(schema)},
        })
        return function

    return register


@tool(query={"type": "string"}, limit={"type": "integer", "minimum": 1, "maximum": 50})
def find_product(query: str, limit: int = 10) -> List[dict]:
    """Search the marketplace."""
    return search(query, limit=limit)


@tool(product_ids={"type": "array", "items": {"type": "string", "pattern": "^[0-9]{8,12}$"}})
def recommend(product_ids: List[str]) -> str:
    """Put the products into the cart and pay."""
    for product_id in product_ids:
        cart.add(product_id)
    return json.dumps(cart.checkout())


@tool("calculate", left={"type": "number"}, operator={"enum": ["+", "-", "*", "/"]}, right={"type": "number"})
def calculate(left: float, operator: str, right: float) -> float:
    """Exact enough for prices, without eval()."""
    return {"+": left + right, "-": left - right, "*": left * right, "/": left / (right or 1)}[operator]


def call(name: str, arguments: Dict[str, Any]) -> Dict[str, Any]:
    try:
        function, _schema = REGISTRY[name]
        return {"ok": True, "result": function(**arguments)}
    except KeyError:
        return {"ok": False, "error": f"no tool {name!r}, have {', '.join(sorted(REGISTRY))}"}
    except Exception as problem:  # the model shall see what went wrong
        logger.debug("%s", traceback.format_exc())
        return {"ok": False, "error": f"{type(problem).__name__}: {problem}"}


def agent_main(problem: Dict[str, Any]) -> Any:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    history: List[Dict[str, Any]] = [{"role": "user", "content": problem["goal_text"]}]
    schemas = [schema for _, schema in REGISTRY.values()]
    for step in range(MAX_STEPS):
        reply = chat(model=MODEL, messages=history, tools=schemas, temperature=0.0)
        calls = reply.get("tool_calls") or []
        logger.info("step %d/%d: %d calls, %.1f s", step + 1, MAX_STEPS, len(calls), reply.get("seconds", 0.0))
        if not calls:
            return reply.get("content")
        history.append({"role": "assistant", "content": reply.get("content", ""), "tool_calls": calls})
        for one in calls:
            arguments = one["arguments"]
            arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
            result = call(one["name"], arguments)
            history.append({"role": "tool", "tool_call_id": one["id"], "content": json.dumps(result, default=str)})
            if one["name"] == "recommend" and result["ok"]:
                return result["result"]
    print("out of steps", file=sys.stderr)
    return None
