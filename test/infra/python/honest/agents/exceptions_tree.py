"""A hierarchy of exceptions, exception groups, notes, chained causes and cleanup."""
import sys
import traceback
import warnings
from http import HTTPStatus


class AgentError(Exception):
    """Everything this agent raises."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR

    def __init__(self, message="", *, hint=None, **context):
        super().__init__(message)
        self.hint, self.context = hint, context
        if hint:
            self.add_note(hint)

    def __str__(self):
        return f"[{self.__class__.__name__}/{self.status.value}] {super().__str__()}"


class NotFound(AgentError, LookupError):
    status = HTTPStatus.NOT_FOUND


class TooDear(AgentError, ValueError):
    status = HTTPStatus.PAYMENT_REQUIRED

    @property
    def excess(self):
        return self.context.get("price", 0) - self.context.get("budget", 0)


def cheapest(offers, budget):
    try:
        best = min(offers, key=lambda o: o["price"])
    except ValueError as problem:
        raise NotFound("no offers", hint="try fewer words") from problem
    except (KeyError, TypeError):
        raise AgentError("an offer without a price") from None
    else:
        if best["price"] > budget:
            raise TooDear("over budget", price=best["price"], budget=budget)
        return best
    finally:
        warnings.warn("compared", stacklevel=2)


def explain(problem):
    chain = []
    while problem is not None:
        chain.append(f"{type(problem).__module__}.{type(problem).__qualname__}: {problem}")
        problem = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    return " <- ".join(chain)


def many(tasks):
    failures = []
    for task in tasks:
        try:
            task()
        except Exception as problem:
            failures.append(problem)
    if failures:
        raise ExceptionGroup("several tasks failed", failures)


def agent_main(problem, find):
    answer = None
    with _quiet():
        try:
            many([lambda: cheapest(find(problem["goal_text"]), problem.get("budget", 1e9))])
            answer = cheapest(find(problem["goal_text"]), problem.get("budget", 1e9))["product_id"]
        except* TooDear as group:
            print([error.excess for error in group.exceptions], file=sys.stderr)
        except* AgentError as group:
            print(explain(group.exceptions[0]), "".join(traceback.format_exception_only(group)))
    return answer


class _quiet:
    def __enter__(self):
        warnings.simplefilter("ignore")

    def __exit__(self, *details):
        warnings.resetwarnings()
