"""Enumerations of objects, of levels and with types, and a group of tasks."""
import asyncio
import logging
import re
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum


@dataclass(frozen=True)
class Spec:
    label: str
    weight: int


class Family(Enum):
    PRODUCT = Spec("product", 3)
    SHOP = Spec("shop", 2)


class Level(IntEnum):
    QUIET = logging.WARNING
    LOUD = logging.DEBUG


class Discount(Enum):
    SMALL = Decimal("0.05")
    LARGE = Decimal("0.20")


class Shape(Enum):
    PRICE = re.compile(r"\$\d+")
    SIZE = re.compile(r"\d+ ?cm")


class Tone(str, Enum):
    PLAIN: str = "plain"
    WARM: str = "warm"


def weigh(label):
    family = next(each for each in Family if each.value.label == label)
    return family.value.weight * Discount.SMALL.value, Tone("warm"), Level.LOUD, Shape.PRICE.value.search(label)


async def both(look, one, other):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(look(query)) for query in (one, other)]
    return [task.result() for task in tasks]
