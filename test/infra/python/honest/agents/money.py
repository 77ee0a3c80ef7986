"""Numbers and currencies in many spellings; exact arithmetic with Decimal and Fraction."""
import decimal
import math
import statistics
from decimal import Decimal, localcontext
from fractions import Fraction
from numbers import Number, Real

RATES = {"PHP": Decimal("1"), "USD": Decimal("56.4250"), "EUR": Decimal("61.1873"), "JPY": Decimal("0.372918"),
         "GBP": Decimal("71.90"), "SGD": Decimal("41.8822"), "MYR": Decimal("12.0415"), "IDR": Decimal("0.003568")}
SYMBOLS = {"₱": "PHP", "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "S$": "SGD", "RM": "MYR", "Rp": "IDR"}
WORDS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
         "ten": 10, "eleven": 11, "twelve": 12, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100, "k": 1_000,
         "thousand": 1_000, "m": 1_000_000, "million": 1_000_000, "billion": 1_000_000_000}
PI = 3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798


def parse(text: str) -> Decimal:
    """'1.234,56' and '1,234.56' and '1 234,5' and "1'234.50" are all understood."""
    kept = "".join(c for c in text if c.isdigit() or c in ".,-")
    point = max(kept.rfind("."), kept.rfind(","))
    if point != -1 and len(kept) - point - 1 != 3:
        kept = kept[:point].replace(".", "").replace(",", "") + "." + kept[point + 1 :]
    else:
        kept = kept.replace(".", "").replace(",", "")
    return Decimal(kept or "0")


def spelled(text: str) -> int:
    total = part = 0
    for word in text.lower().replace("-", " ").split():
        value = WORDS.get(word)
        if value is None:
            continue
        if value >= 1000:
            total, part = total + max(1, part) * value, 0
        elif value == 100:
            part = max(1, part) * 100
        else:
            part += value
    return total + part


def convert(amount: Decimal, source: str, target: str = "PHP") -> Decimal:
    with localcontext() as context:
        context.prec = 28
        context.rounding = decimal.ROUND_HALF_EVEN
        return (amount * RATES[source] / RATES[target]).quantize(Decimal("1.00"))


def voucher(total: Decimal, threshold: Decimal, percent: Fraction | None, cap: Decimal, fixed: Decimal) -> Decimal:
    if total < threshold:
        return total
    saved = min(cap, total * percent.numerator / percent.denominator) if percent else fixed
    return max(Decimal(0), total - saved)


def split_evenly(total: Decimal, parts: int) -> list[Decimal]:
    cents = int(total * 100)
    base, rest = divmod(cents, parts)
    return [Decimal(base + (i < rest)) / 100 for i in range(parts)]


def summary(prices: list[Real]) -> dict[str, Number]:
    return {
        "mean": statistics.fmean(prices), "median": statistics.median(prices),
        "spread": statistics.pstdev(prices) if len(prices) > 1 else 0.0,
        "quartiles": statistics.quantiles(prices, n=4) if len(prices) > 2 else [],
        "log": math.log1p(sum(prices)), "geo": statistics.geometric_mean(prices),
    }


def show(amount: Decimal) -> str:
    return "{:,.2f} PHP".format(amount) + " | %08.3f | %+d%%" % (amount, 5) + f" | {amount:>12} | {float(amount):e}"


def agent_main(problem, find):
    budget = parse(problem.get("budget", "0"))
    offers = [o for o in find(problem["goal_text"]) if voucher(parse(str(o["price"])), Decimal(63), Fraction(34, 100), Decimal(28), Decimal(0)) <= budget]
    print(show(budget), summary([float(o["price"]) for o in offers] or [1.0, 2.0, 3.0]))
    return offers[0]["product_id"] if offers else None
