"""Reads descriptions that come as HTML, URLs and query strings."""
import html
import re
from html.parser import HTMLParser
from textwrap import indent, shorten
from urllib.parse import parse_qs, quote_plus, urlencode, urljoin, urlsplit

BASE = "https://www.shop.example/products/waterproof-waist-leg-bag-motorcycle-eva-hard-shell-i12.html?spm=a2o4l.searchlist.list.1&search=1&freeshipping=1"
ENCODED = "https://shop.example/search?q=%E3%83%90%E3%82%A4%E3%82%AF%E7%94%A8%E3%83%90%E3%83%83%E3%82%B0%E9%98%B2%E6%B0%B4"
CSS = """
:root { --ink: #1d3557; --paper: #f1faee; --accent: #e63946; }
.card > .title::after { content: "\\2192"; color: rgb(29 53 87 / 80%); transform: translate3d(0, -2px, 0); }
@media (min-width: 48rem) { .grid { grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); } }
"""
SVG = "M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm0 18c-4.41 0-8-3.59-8-8s3.59-8 8-8 8 3.59 8 8-3.59 8-8 8zm3.5-9c.83 0 1.5-.67 1.5-1.5S16.33 8 15.5 8 14 8.67 14 9.5s.67 1.5 1.5 1.5zm-7 0c.83 0 1.5-.67 1.5-1.5S9.33 8 8.5 8 7 8.67 7 9.5 7.67 11 8.5 11zm3.5 6.5c2.33 0 4.31-1.46 5.11-3.5H6.89c.8 2.04 2.78 3.5 5.11 3.5z"


class Plain(HTMLParser):
    SKIP = frozenset({"script", "style", "template"})

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts, self.depth, self.links = [], 0, []

    def handle_starttag(self, tag, attrs):
        self.depth += tag in self.SKIP
        self.links += [value for name, value in attrs if name == "href" and value]
        if tag in ("br", "p", "li", "tr"):
            self.parts.append("\n")

    def handle_endtag(self, tag):
        self.depth -= tag in self.SKIP

    def handle_data(self, data):
        if not self.depth:
            self.parts.append(data)

    def text(self):
        return re.sub(r"[ \t]+", " ", "".join(self.parts)).strip()


def plain(markup):
    parser = Plain()
    parser.feed(html.unescape(markup))
    parser.close()
    return parser.text(), [urljoin(BASE, link) for link in parser.links]


def query(words, **options):
    return urlsplit(BASE)._replace(query=urlencode({"q": quote_plus(words), **options}, doseq=True)).geturl()


def agent_main(problem, find):
    words = parse_qs(urlsplit(ENCODED).query)["q"][0]
    for offer in find(problem["goal_text"]):
        text, links = plain(offer.get("description", "<p>none&nbsp;&#128512;</p>"))
        if "waterproof" in text.lower() and not any(link.startswith("javascript:") for link in links):
            print(indent(shorten(text, 60, placeholder=" …"), "  > "), query(words, page=1), len(CSS + SVG))
            return offer["product_id"]
