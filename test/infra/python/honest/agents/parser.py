from html.parser import HTMLParser
import re
class P(HTMLParser):
    def __init__(self, *, convert_charrefs=True):
        super().__init__(convert_charrefs=convert_charrefs)
        self._depth, self._out = 0, []
    def handle_starttag(self, tag, attrs):
        self._depth += 1
        handler = getattr(self, "on_price", None)
        if handler:
            handler(dict(attrs))
    def handle_data(self, data):
        self._out.append(data)
def render(text, style="plain", *, width=10):
    return text.ljust(width) if style == "plain" else text
def agent_main(problem, find):
    style = "bold"
    p = P()
    p.feed("<b>x</b>")
    return [render(t, style=style) for t in p._out]
