"""Runs one agent file on one task, inside of the sandbox.

Until the word `ready` only this file has run, so whatever goes wrong before it is nobody's fault but
the sandbox's; whatever comes after it is the agent's. Nothing in here knows an answer.
"""

import os
import sys

# Ahead of everything that reads lines of files: they are to find our `linecache`.
sys.path.insert(0, "/sandbox")

import json  # noqa: E402
import resource  # noqa: E402
import traceback  # noqa: E402
import types  # noqa: E402
from collections.abc import Awaitable  # noqa: E402

AGENT_PATH = "/sandbox/agent.py"
FILTER_PATH = "/sandbox/filter"
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
RUNNER = os.getpid()
# An agent may put streams of its own in their place.
STDOUT, STDERR = sys.stdout, sys.stderr


def take_limits(limits):
    """What is taken here cannot be had back: raising a hard limit asks for rights that nobody has."""
    cpu_seconds = limits["cpu_seconds"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits["open_files"],) * 2)
    resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"],) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (limits["memory_bytes"],) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    # Heartbeats come first: an agent that computes must not keep the validator from beating.
    os.nice(10)


def take_filter():
    """Where no bubblewrap has put the filter on before us, it lies there as a file."""
    try:
        with open(FILTER_PATH, "rb") as file:
            program = file.read()
    except FileNotFoundError:
        return
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    given = Program(len(program) // 8, program)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(given), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the seccomp filter was refused")


def take_names():
    """What `site` gives to any program and an agent may say: `exit`, `quit`, `help` and three more."""
    import site

    site.setquit()
    site.setcopyright()
    site.sethelper()


def compiled(source):
    """
    Under a name that no file has. What an agent writes to standard error is public before its code is, and
    Python shows the line of each call in a traceback, and of a warning, where it can read the file.
    """
    try:
        return compile(source, "<agent.py>", "exec")
    except SyntaxError as error:
        error.text = None
        raise


def load_agent():
    # Bytes, as the submission check compiles them: a byte order mark or a cookie is for CPython to read.
    with open(AGENT_PATH, "rb") as file:
        source = file.read()
    module = types.ModuleType("agent")
    module.__file__ = AGENT_PATH
    sys.modules["agent"] = module
    exec(compiled(source), module.__dict__)
    return module


def refuse_idle(given):
    """Nobody awaits or iterates what a call gives, so nothing of it would ever run, nor anything be said."""
    if is_unbegun(given):
        kind = type(given).__name__
        close = getattr(given, "close", None)
        if callable(close):
            close()
        raise TypeError(
            f"agent_main(problem) gave a {kind}, of which nothing has run: "
            "write a plain 'def agent_main(problem):' whose work is done when it returns"
        )


def is_unbegun(given):
    """What a function has run itself it may give back, done or not."""
    if isinstance(given, types.GeneratorType):
        # A plain function may end with a generator expression that nobody needs.
        is_made = given.gi_code.co_name != "<genexpr>"
        return is_made and given.gi_frame is not None and not given.gi_suspended
    if isinstance(given, types.CoroutineType):
        return given.cr_frame is not None and not given.cr_suspended
    if isinstance(given, types.AsyncGeneratorType):
        return given.ag_frame is not None
    is_done = getattr(given, "done", None)
    return isinstance(given, Awaitable) and callable(is_done) and not is_done()


def play(task):
    """Tells how it ended; what is told serves for words only, never for the grade."""
    try:
        agent_main = getattr(load_agent(), "agent_main", None)
        if not callable(agent_main):
            raise TypeError("the file defines no function agent_main(problem)")
        shop_channel.note({"note": "loaded"})
        refuse_idle(agent_main(task))
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError(f"the agent ended itself with code {end.code}") from None


def leave_if_forked():
    """A child that the agent forked comes out here too, and has nothing to tell."""
    if os.getpid() != RUNNER:
        os._exit(1)


def flush_output():
    """What was printed is the agent's to read, however it ended; to end here flushes nothing by itself."""
    for stream in (sys.stdout, sys.stderr, STDOUT, STDERR):
        try:
            stream.flush()
        except BaseException:
            pass


def words_of(error):
    """Nothing where its own code fails to say it, which is no want of memory."""
    try:
        return str(error)[:500]
    except MemoryError:
        raise
    except BaseException:
        return ""


def fail(error):
    kind = type(error).__name__[:200]
    flush_output()
    try:
        traceback.print_exc()
        shop_channel.note({"note": "raised", "kind": kind, "message": words_of(error)})
    except BaseException:
        # Without memory for a traceback there is still enough for this.
        os.write(3, b'{"note":"raised","kind":"MemoryError","message":""}\n')
    os._exit(1)


take_filter()
take_limits(json.loads(sys.argv[1]))
take_names()
# Whoever is killed at a limit flushes nothing, and is who most needs to read what was printed.
STDOUT.reconfigure(line_buffering=True)
import shop_channel  # noqa: E402

shop_channel.note({"note": "ready"})
try:
    play(shop_channel.receive())
except BaseException as error:
    leave_if_forked()
    fail(error)
leave_if_forked()
flush_output()
shop_channel.note({"note": "finished"})
# Threads that the agent left behind are not waited for.
os._exit(0)
