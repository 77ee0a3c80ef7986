# Stands alone.
TEMPLATES = {"ask": "Find {what} under {price:.2f}", "tell": "Found {name}"}
class Prompt:
    def __init__(self, template):
        self.template = template
    def fill(self, **values):
        return self.template.format(**values)
ASK = Prompt("Looking for {what}")
TELL = Prompt(template="Found {name!r}")
def shout(text):
    return text.format("x").upper()
def agent_main(problem, find):
    for key in TEMPLATES:
        if key in TEMPLATES:
            print(TEMPLATES[key].format(what="a", price=1.0, name="b"))
    a, b = TEMPLATES["ask"], 1
    print(shout("hi {}"), a, b)
    return [ASK.fill(what=problem), TELL.fill(name="z")]
