#!/usr/bin/env python3
# vim: set fileencoding=utf-8 ts=4 :

"""Old habits: form feeds between sections, percent formatting, no type hints."""
import sys, string

# ---- settings ----
NAME = "old hand"
LIMIT = 0o17
MASK = 0b1010

def report(name, count, share):
    print("%-20s %5d %6.2f%%" % (name, count, share * 100.0), file=sys.stderr)
    return "%(name)s has %(count)d" % {"name": name, "count": count}

def rot13(text):
    a = string.ascii_lowercase
    return text.translate(str.maketrans(a + a.upper(), a[13:] + a[:13] + (a[13:] + a[:13]).upper()))

def agent_main(problem, find):
    found = find(problem["goal_text"]); report(NAME, len(found), 0.5)
    if not found: return None
    else: return found[0]["product_id"]
