# Stands alone.
import functools, random, time, types, typing
T = typing.TypeVar("T")
def retry(times: int = 3, on: tuple[type[Exception], ...] = (ValueError,)):
    def deco(fn: typing.Callable[..., T]) -> typing.Callable[..., T]:
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            for n in range(times):
                try:
                    return fn(*args, **kwargs)
                except on as error:
                    kind = type(error)
                    print(kind.__name__, error, error.__cause__)
                    time.sleep(0.0 * random.random())
            return None
        return inner
    return deco
@retry(2)
def agent_main(problem, find):
    ns = types.SimpleNamespace(obj=1, style="x")
    return [ns.obj, ns.style, find(problem)]
