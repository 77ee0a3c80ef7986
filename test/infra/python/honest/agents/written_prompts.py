"""Whole sentences as constants, fields and defaults, which nothing is compared with."""
from dataclasses import dataclass
from typing import Final

SYSTEM_PROMPT: Final = "You are a careful shopping assistant who never guesses."
PLAN_PROMPT: Final[str] = "Write a short plan of at most three steps for this."
RANK_PROMPT: str = "Rank the following products by how well they match it."
CHECK_PROMPT: Final = "Check whether the product matches every constraint given here."


@dataclass
class Prompts:
    system: str = "You know the catalogue of one shop and of no other shop."
    plan: str = "Say in one line what to look for at first and why."
    rank: str = "Put the cheapest product that fits at the top of the list."
    check: str = "Name each constraint and whether the product keeps to it."


def ask(question, system="Answer like a patient clerk behind the counter.", style="Answer in one short sentence without any markup."):
    return [system, style, question]


def rank(items, system="Compare the products by price and then by rating.", style="Give the numbers only, with commas between them please."):
    return [system, style, items]


def told(kind):
    match kind:
        case "plan":
            print("No plan was found for this task so far.")
            return Prompts.plan
        case "rank" if SYSTEM_PROMPT:
            return [RANK_PROMPT, Prompts.rank, rank([])]
        case _:
            return [PLAN_PROMPT, CHECK_PROMPT, ask(kind)]
