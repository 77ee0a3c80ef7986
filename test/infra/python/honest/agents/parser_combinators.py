"""Parser combinators for 'a AND (b OR c) NOT d, size>=40' goals, plus a recursive-descent calculator."""
import string
from dataclasses import dataclass
from typing import Any, Callable, Optional


@dataclass(frozen=True)
class Result:
    value: Any
    rest: str


Parser = Callable[[str], Optional[Result]]


def token(word: str) -> Parser:
    def parse(text):
        text = text.lstrip()
        return Result(word, text[len(word):]) if text.upper().startswith(word) else None
    return parse


def name(text):
    text = text.lstrip()
    end = next((i for i, ch in enumerate(text) if ch not in string.ascii_letters + string.digits + "-_"), len(text))
    return Result(text[:end], text[end:]) if end else None


def seq(*parsers):
    def parse(text):
        values = []
        for parser in parsers:
            if (found := parser(text)) is None:
                return None
            values.append(found.value)
            text = found.rest
        return Result(values, text)
    return parse


def alt(*parsers):
    return lambda text: next((found for parser in parsers if (found := parser(text))), None)


def many(parser):
    def parse(text):
        values = []
        while found := parser(text):
            values.append(found.value)
            text = found.rest
        return Result(values, text)
    return parse


def apply(parser, function):
    return lambda text: (lambda found: found and Result(function(found.value), found.rest))(parser(text))


def lazy(get):
    return lambda text: get()(text)


compare = apply(seq(name, alt(token(">="), token("<="), token("="), token(">"), token("<")), name), tuple)
atom = alt(apply(seq(token("("), lazy(lambda: either), token(")")), lambda v: v[1]),
           apply(seq(token("NOT"), lazy(lambda: atom)), lambda v: ("not", v[1])), compare, name)
both = apply(seq(atom, many(apply(seq(token("AND"), atom), lambda v: v[1]))), lambda v: ("and", v[0], *v[1]) if v[1] else v[0])
either = apply(seq(both, many(apply(seq(token("OR"), both), lambda v: v[1]))), lambda v: ("or", v[0], *v[1]) if v[1] else v[0])


class Calculator:
    """Adds, multiplies and nests; written because eval() is neither allowed nor wanted."""

    def __init__(self, text):
        self.text, self.at = text.replace(" ", ""), 0

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self):
        self.at += 1
        return self.text[self.at - 1]

    def sum(self):
        value = self.product()
        while self.peek() in ("+", "-") and self.peek():
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self):
        value = self.unit()
        while self.peek() and self.peek() in "*/":
            value = value * self.unit() if self.take() == "*" else value / self.unit()
        return value

    def unit(self):
        if self.peek() == "(":
            self.take()
            value = self.sum()
            self.take()
            return value
        digits = ""
        while self.peek() and self.peek() in string.digits + ".":
            digits += self.take()
        return float(digits or 0)


def agent_main(problem, find):
    tree = either("red AND (umbrella OR raincoat) AND NOT used")
    print(tree, Calculator("1250*(1-0.34)+49/7").sum())
    return find(str(tree and tree.value))
