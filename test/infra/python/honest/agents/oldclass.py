# -*- coding: utf-8 -*-
class Stack(object):
    __instance = None
    def __new__(cls, *args):
        if cls.__instance is None:
            cls.__instance = super(Stack, cls).__new__(cls)
        return cls.__instance
    def __init__(self):
        super(Stack, self).__init__()
        self.__items = []
    def push(self, x):
        self.__items.append(x); return self
    items = property(lambda self: list(self.__items))
class MyError(Exception):
    def __init__(self, msg, code=1):
        Exception.__init__(self, msg)
        self.code = code
def agent_main(problem, find):
    try:
        raise MyError("x")
    except MyError as e:
        return Stack().push(e.args[0]).items, "{0.code} {0.args[0]}".format(e)
