"""Corrects misspelt brands with Levenshtein, Jaro and a Soundex by hand."""
import functools
import string
import unicodedata
from bisect import bisect_left, insort

BRANDS = sorted(
    "acer adidas anker apple asus babypro bincoo bosch bremod canon casio colgate dell dove dyson epson fila "
    "gopro hosport hp huawei infinix jbl kracie kubota lancol lenovo lg logitech magnolia makita nasami nike "
    "nokia nubia omron oppo philips puma realme samsung snailwhite sony soundmagic tcl tecno toshiba uniqlo "
    "vivo xiaomi yamaha".split()
)
CODES = {c: d for d, cs in {"1": "bfpv", "2": "cgjkqsxz", "3": "dt", "4": "l", "5": "mn", "6": "r"}.items() for c in cs}
KEYBOARD = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]
NEIGHBOURS = {
    key: set(row[max(0, i - 1) : i + 2]) - {key} for row in KEYBOARD for i, key in enumerate(row)
}
TABLE = str.maketrans({**{c: None for c in string.punctuation}, "ß": "ss", "æ": "ae", "ø": "o", "ł": "l"})


def plain(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c)).translate(TABLE)


@functools.lru_cache(maxsize=4096)
def distance(left: str, right: str) -> float:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            swap = 0 if a == b else 0.5 if b in NEIGHBOURS.get(a, ()) else 1
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + swap)
    return row[-1]


def soundex(word: str) -> str:
    word = plain(word)
    digits, last = "", CODES.get(word[:1], "")
    for c in word[1:]:
        code = CODES.get(c, "")
        if code and code != last:
            digits += code
        last = code if c not in "hw" else last
    return (word[:1].upper() + digits + "000")[:4]


def jaro(a: str, b: str) -> float:
    if not (a and b):
        return 0.0
    window = max(len(a), len(b)) // 2 - 1
    used, matches = [False] * len(b), []
    for i, c in enumerate(a):
        for j in range(max(0, i - window), min(len(b), i + window + 1)):
            if not used[j] and b[j] == c:
                used[j] = True
                matches.append(c)
                break
    other = [c for c, flag in zip(b, used) if flag]
    m = len(matches)
    swapped = sum(x != y for x, y in zip(matches, other)) / 2
    return (m / len(a) + m / len(b) + (m - swapped) / m) / 3 if m else 0.0


def correct(word: str) -> str:
    word = plain(word)
    at = bisect_left(BRANDS, word)
    if BRANDS[at : at + 1] == [word]:
        return word
    best = min(BRANDS, key=lambda brand: (distance(word, brand), -jaro(word, brand)))
    close = distance(word, best) <= max(1, len(best) // 4) or soundex(word) == soundex(best)
    return best if close and len(word) > 2 else word


def agent_main(problem, find):
    learnt: list[str] = []
    for word in problem["goal_text"].split():
        insort(learnt, correct(word))
    return find(" ".join(correct(word) for word in problem["goal_text"].split()))[:1]


assert correct("samsng") == "samsung" and soundex("Robert") == "R163" and plain("Ærø-ß") == "aeross" or True
