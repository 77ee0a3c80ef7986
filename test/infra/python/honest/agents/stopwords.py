"""Long readable word lists, stemming by suffixes, synonyms, n-grams and spelling variants."""
import re
from collections import ChainMap, Counter
from itertools import chain

STOP = frozenset("""
i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he him his himself she
she's her hers herself it it's its itself they them their theirs themselves what which who whom this that that'll these
those am is are was were be been being have has had having do does did doing a an the and but if or because as until while
of at by for with about against between into through during before after above below to from up down in out on off over
under again further then once here there when where why how all any both each few more most other some such no nor not only
own same so than too very s t can will just don don't should should've now d ll m o re ve y ain aren aren't couldn couldn't
didn didn't doesn doesn't hadn hadn't hasn hasn't haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't
ang mga sa ng na at ay ako ikaw siya kami tayo kayo sila ito iyan iyon dito diyan doon para kung hindi oo opo po ho naman
""".split())
SUFFIXES = ("ization", "ational", "fulness", "ousness", "iveness", "tional", "biliti", "lessli", "entli", "ation", "alism",
            "aliti", "ousli", "iviti", "fulli", "enci", "anci", "abli", "izer", "ator", "alli", "bli", "ogi", "ies", "ing", "ed", "es", "s")
SYNONYMS = {
    "sneakers": ["trainers", "rubber shoes", "kicks", "running shoes"], "sofa": ["couch", "settee", "loveseat"],
    "fridge": ["refrigerator", "ref", "mini fridge"], "aircon": ["air conditioner", "ac", "split type"],
    "phone": ["cellphone", "smartphone", "mobile", "cp", "selpon"], "tv": ["television", "smart tv", "led tv"],
    "flask": ["tumbler", "thermos", "vacuum bottle", "hydro jug"], "jacket": ["hoodie", "windbreaker", "coat"],
    "charger": ["adapter", "power brick", "quick charge", "pd charger"], "slippers": ["tsinelas", "flip-flops", "slides"],
}
CATEGORIES = """Electronics>Phones>Cases & Covers
Electronics>Phones>Chargers
Electronics>Audio>Earbuds
Electronics>Computers>Laptops
Fashion>Women>Bags>Tote Bags
Fashion>Men>Shirts>Short Sleeve
Health & Beauty>Hair Care>Hair Dye
Health & Beauty>Skin Care>Sunscreen SPF 50+
Home & Living>Kitchen>Pot Holders
Home & Living>Furniture>Wall Cabinets
Motors>Motorcycle>Waist Bags
Sports>Racket Sports>Badminton Nets
Pets>Dogs>Dry Shampoo""".splitlines()
VARIANTS = {f"{a}{b}": f"{a} {b}" for a in ("usb", "type", "wi", "e") for b in ("c", "fi", "bike")}
camelCaseFields = "productId productTitle priceMin priceMax shopId shopName ratingCount reviewCount brandName colorFamily " \
    "sizeChart freeShipping cashOnDelivery flashSale voucherCode discountRate deliveryDays stockLeft soldCount mainImage " \
    "thumbImage categoryPath attributeList serviceTags officialStore warrantyType originCountry packageWeight"


def stem(word):
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def terms(text):
    return [stem(word) for word in re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower()) if word not in STOP]


def grams(words, n):
    return zip(*(words[i:] for i in range(n)))


def expand(words):
    lookup = ChainMap(SYNONYMS, {alt: [main] for main, alts in SYNONYMS.items() for alt in alts})
    return list(dict.fromkeys(chain(words, *(lookup.get(word, ()) for word in words))))


def category(goal):
    words = Counter(terms(goal))
    return max(CATEGORIES, key=lambda path: sum(words[term] for term in terms(path)))


def agent_main(problem, find):
    words = terms(problem["goal_text"])
    print(category(problem["goal_text"]), Counter(grams(words, 2)).most_common(2), len(camelCaseFields.split()), VARIANTS)
    return find(" ".join(expand(words)[:12]))
