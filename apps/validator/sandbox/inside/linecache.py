"""In the place of Python's own module of this name: nothing in here reads a file.

A traceback, a warning and a log record show lines of the files that they name, and ask this module for them. An
agent may make objects up that pass for a traceback and name any file. Its own file has no lines here anyway: what
goes to standard error is public before its code is.

It lies in the first folder of the path, so that an import anew and a reload find it too. For who reads lines it is
the module of Python without a source at hand.
"""

__all__ = ["checkcache", "clearcache", "getline", "lazycache"]

# Python's own is looked into, and filled, by others.
cache = {}


def clearcache():
    pass


def checkcache(filename=None):
    pass


def lazycache(filename, module_globals):
    return False


def updatecache(filename, module_globals=None):
    return []


def getlines(filename, module_globals=None):
    return []


def getline(filename, lineno, module_globals=None):
    return ""


def __getattr__(name):
    """What a later Python keeps here for itself gives no line either."""
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *given, **named: ""
