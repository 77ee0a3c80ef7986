# Stands alone.
import logging, sys
class ColorFormatter(logging.Formatter):
    COLORS = {"INFO": "\x1b[32m", "ERROR": "\x1b[31m"}
    def __init__(self, *args, use_color=True, **kwargs):
        super().__init__(*args, **kwargs)
        self.use_color = use_color
    def format(self, record):
        text = super().format(record)
        if not self.use_color:
            return text
        return f"{self.COLORS.get(record.levelname, '')}{text}\x1b[0m"
handler = logging.StreamHandler(sys.stderr)
handler.setFormatter(ColorFormatter("%(asctime)s %(message)s", datefmt="%H:%M"))
log = logging.getLogger(__name__)
log.addHandler(handler)
HANDLERS = {int: str, str: str.strip}
def render(x):
    return HANDLERS[type(x)](x)
def agent_main(problem, find):
    log.info("start %s", problem)
    return [render(p["product_id"]) for p in find(problem)][:1]
