# Stands alone.
import asyncio, contextlib, io
class Pool:
    def __init__(self, n):
        self._sem = asyncio.Semaphore(n)
        self._closed = False
        self._ready = []
    async def __aenter__(self):
        return self
    async def __aexit__(self, *exc):
        self._closed = True
        return False
    async def run(self, f, *a):
        async with self._sem:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(None, f, *a)
async def main(find, qs):
    async with Pool(2) as pool:
        return await asyncio.gather(*(pool.run(find, q) for q in qs), return_exceptions=True)
def agent_main(problem, find):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        r = asyncio.run(main(find, [problem]))
    return [x for x in r if not isinstance(x, Exception) and type(x) is list]
