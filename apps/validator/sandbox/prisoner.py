"""The agent of the trial: tries what no agent may do, and asks for a product by the name of all it could."""

import os
import socket

from shop_tools import product

# What a box shows, and what a program needs of it: whatever stands beside it is the machine's.
SHOWN = {
    "/": {"bin", "dev", "lib", "lib64", "sandbox", "sbin", "usr"},
    "/dev": {"null", "urandom", "zero"},
}
VARIABLES = {"LANG", "LC_CTYPE", "MALLOC_ARENA_MAX", "PWD", "PYTHONHASHSEED"}
# Addresses that documents may name and nobody has; to connect a datagram sends nothing.
BEYOND = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


def tried(what, attempt):
    try:
        attempt()
    except OSError:
        return
    product(what)


def write_to(folder, name):
    """Leaves nothing behind: a name that is taken would hide the hole from the next trial."""
    path = f"{folder.rstrip('/')}/{name}"
    os.mkdir(path)
    os.rmdir(path)


def read(path):
    os.close(os.open(path, os.O_RDONLY))


def find(pid):
    """Who may not signal a process has seen it all the same."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        pass


def reach(family, kind, address):
    with socket.socket(family, kind) as line:
        line.settimeout(5)
        line.connect(address)


def above(home):
    """The folders on the way to Python, which are there for its sake alone."""
    parts = home.split("/")[1:]
    return ["/" + "/".join(parts[:depth]) for depth in range(len(parts))]


def holds_something(path):
    try:
        return len(os.listdir(path)) > 0
    except NotADirectoryError:
        return True
    except OSError:
        return False


def strangers(home):
    shown = {folder: set(names) for folder, names in SHOWN.items()}
    if home is not None:
        for folder in above(home):
            name = home[len(folder.rstrip("/")) + 1 :].split("/")[0]
            shown.setdefault(folder, set()).add(name)
    for folder, names in shown.items():
        for name in sorted(set(os.listdir(folder)) - names):
            path = f"{folder.rstrip('/')}/{name}"
            if holds_something(path):
                yield path


def agent_main(problem):
    home, mark, pid = problem["python_home"], problem["mark"], problem["pid"]
    places = ["/", "/dev", "/dev/shm", "/sandbox", "/tmp", "/usr", "/var/tmp", home or "/usr/lib"]
    for folder in places:
        tried(f"write to {folder}", lambda: write_to(folder, mark))
    for path in ("/etc/passwd", "/etc/shadow", f"/proc/{pid}/environ", *problem["secrets"]):
        tried(f"read {path}", lambda: read(path))
    tried("read the validator's files", lambda: os.listdir(problem["folder"]))
    for path in strangers(home):
        product(f"see {path}")
    if not set(os.environ) <= VARIABLES:
        product("see variables that it was not given")
    tried("see other processes", lambda: find(pid))
    door = ("127.0.0.1", problem["port"])
    tried("reach the machine's network", lambda: reach(socket.AF_INET, socket.SOCK_STREAM, door))
    for family, address in BEYOND:
        tried("reach other machines", lambda: reach(family, socket.SOCK_DGRAM, (address, 9)))
