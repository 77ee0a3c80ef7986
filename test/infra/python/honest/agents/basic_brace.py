# Stands alone.
import logging
logging.basicConfig(level=logging.INFO, format="{asctime} {levelname:>8} {message}", style="{")
log = logging.getLogger("agent")
def agent_main(problem, find):
    log.info("go")
    return []
