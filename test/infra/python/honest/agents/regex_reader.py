r"""Reads goals with regular expressions only. Nothing here evaluates anything: the word eval( in
this text, exec("..."), __import__('os').system('ls') and open('/etc/passwd') are prose."""
import re
from re import IGNORECASE, VERBOSE, compile as rx

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
PRICE = rx(rf"""
    (?P<prefix>between|from|above|over|more\ than|under|below|less\ than|up\ to|costs?)?\s*
    (?P<currency>PHP|₱|USD|\$|EUR|€|£|¥|RM|Rp)?\s*
    (?P<low>{NUMBER})\s*
    (?:(?:-|–|to|and)\s*(?P<high>{NUMBER}))?\s*
    (?P<unit>php|pesos?|dollars?|euros?)?
""", IGNORECASE | VERBOSE)
SIZE = rx(r"\b(?:size\s+)?(?P<size>(?:[2-9]|1\d)?X{0,4}[SML]|EU\s?\d{2}(?:\.5)?|one[- ]size|free size)\b", IGNORECASE)
AMOUNT = rx(r"(?P<n>\d+(?:[.,]\d+)?)\s?(?P<u>mAh|ml|cl|l|kg|g|mg|oz|lb|inch(?:es)?|\"|cm|mm|m|W|V|A|GB|TB|MP|Hz|pcs?|pack(?: of)?)\b")
MODEL = rx(r"\b(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{2,}(?:-[A-Z0-9]+)*\b")
SKU = rx(r"^[A-Z]{2,4}-\d{3,6}(?:/[A-Z]{1,3})?$")
UUID = rx(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
EMAIL = rx(r"[\w.+-]+@[\w-]+\.[\w.-]+")
PRODUCT_ID = rx(r"(?<!\d)[1-9]\d{8,10}(?!\d)")
COLOUR = rx(r"#(?:[0-9a-f]{3}){1,2}\b", re.I)
QUOTED = rx(r"[\"'“”‘’«»]([^\"'“”‘’«»]{2,60})[\"'“”‘’«»]")
ANSI = rx(r"\x1b\[[0-9;]*m")
VOUCHER = rx(r"`(?P<value>\d+(?:\.\d+)?%?)`")
NAMED = {
    "voucher": VOUCHER, "model": MODEL, "sku": SKU, "uuid": UUID, "mail": EMAIL, "hex": COLOUR,
}


def number(text: str) -> float:
    return float(text.replace(",", ""))


def prices(goal):
    for found in PRICE.finditer(goal):
        if not (found["currency"] or found["unit"] or found["prefix"]):
            continue
        low, high = found["low"], found["high"]
        word = (found["prefix"] or "").lower()
        if high:
            yield number(low), number(high)
        elif word in {"under", "below", "less than", "up to"}:
            yield 0.0, number(low)
        else:
            yield number(low), float("inf")


def details(goal):
    clean = ANSI.sub("", goal)
    return {
        "prices": list(prices(clean)),
        "sizes": [found["size"].upper() for found in SIZE.finditer(clean)],
        "amounts": [(number(f["n"].replace(",", ".")), f["u"]) for f in AMOUNT.finditer(clean)],
        "quoted": QUOTED.findall(clean),
        **{name: pattern.findall(clean) for name, pattern in NAMED.items()},
    }


def agent_main(problem, find):
    known = details(problem["goal_text"])
    low, high = (known["prices"] or [(0.0, float("inf"))])[0]
    words = re.split(r"\W+", re.sub(PRICE, " ", problem["goal_text"]))
    for offer in find(" ".join(filter(None, words)), limit=25):
        if low <= offer["price"] <= high and re.fullmatch(PRODUCT_ID, offer["product_id"]):
            return offer["product_id"]
    return None
