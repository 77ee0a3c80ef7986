"""Explains itself: tables in text, ASCII art, diffs, pretty printing, every kind of f-string."""
import difflib
import json
import pprint
import reprlib
import shlex
import textwrap
from datetime import date, datetime, time as clock, timedelta
from itertools import zip_longest

LOGO = r"""
   ____  _                                 .--------.
  / ___|| |__   ___  _ __  _ __   ___ _ __ |  ~~~~  |  ||||||  %%  ##  @@
  \___ \| '_ \ / _ \| '_ \| '_ \ / _ \ '__||  %%%%  |  ------  $$  &&  ^^
   ___) | | | | (_) | |_) | |_) |  __/ |   '--.  .--'  ______  ((  ))  **
  |____/|_| |_|\___/| .__/| .__/ \___|_|      |__|     ======  [[  ]]  ++
                    |_|   |_|
"""
RULER = "0123456789" * 12
DIGITS = "3.14159 26535 89793 23846 26433 83279 50288 41971 69399 37510 58209 74944 59230 78164"
BOX = "┌─┬┐│├┼┤└┴┘═║╔╦╗╠╬╣╚╩╝░▒▓█▀▄■□▪▫▲►▼◄◆○●★☆♠♣♥♦"
SPARK = "▁▂▃▄▅▆▇█"
BRAILLE = "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵"


def table(rows, headers):
    widths = [max(len(str(cell)) for cell in column) for column in zip_longest(headers, *rows, fillvalue="")]
    line = "+".join("-" * (w + 2) for w in widths)
    lines = [f"|{'|'.join(f' {str(cell):<{w}} ' for cell, w in zip(row, widths))}|" for row in [headers, *rows]]
    return "\n".join([line, lines[0], line, *lines[1:], line])


def spark(values):
    low, high = min(values), max(values)
    return "".join(SPARK[int((v - low) / ((high - low) or 1) * 7)] for v in values)


def changes(before, after):
    return "".join(difflib.unified_diff(before.splitlines(True), after.splitlines(True), "before", "after", n=1))


def demo(price=1234.5678, name="müsli", when=datetime(2025, 3, 3, 14, 5)):
    width, precision, kind = 12, 3, "f"
    return [
        f"{price:>{width}.{precision}{kind}}", f"{price:,.2f}", f"{price:_.1f}", f"{int(price):#06x}", f"{price:+e}",
        f"{name!r:^20}", f"{name!a}", f"{when:%A %d %B %Y, %H:%M}", f"{{literal}} {name.upper()=}", f"{'nested ' + f'{name:*<8}'}",
        f"{[n**2 for n in range(3)]!s}", f"{(lambda x: x * 2)(3)}", f"{ {'a': 1}['a'] }", rf"\d+{price:.0f}\n", f"""{
            name
        } on several lines""", "{0[title]} {0[price]:.1f} {1.year}".format({"title": "t", "price": 1}, when),
        "{:>8} {:<8} {:^8}".format("a", "b", "c"), "%(name)-10s|%(price)08.2f" % {"name": name, "price": price}, b"bytes %d" % 5,
    ]


def agent_main(problem, find):
    offers = list(find(problem["goal_text"]))[:5]
    print(LOGO, RULER, table([(o["title"][:30], o["price"]) for o in offers], ("title", "price")), sep="\n")
    print(spark([o["price"] for o in offers] or [0]), changes("a\nb\n", "a\nc\n"), reprlib.repr(offers), shlex.split("--sort 'price asc'"))
    pprint.pprint(json.loads(json.dumps(offers)), width=100, compact=True)
    print(*textwrap.wrap(" ".join(map(str, demo())), 90), date.today() - timedelta(days=3), clock(12, 30), sep="\n")
    return offers[0]["product_id"] if offers else None
