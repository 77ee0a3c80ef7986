"""What an agent may do in the Corner Shop. Every call is carried out outside of the sandbox.

    from shop_tools import cart, search

    def agent_main(problem):
        for product in search(problem["goal_text"], limit=5):
            ...

A product is a dict: product_id, title, kind, brand, colour, price (EUR), rating, seller.

What was not done is a ToolError, whose text says why; the task goes on.

A right order earns 0.8, and 0.2 more for few calls, of which each call after the eighth takes a fortieth:
8 calls 1.0, 28 calls 0.9, 48 calls or more 0.8. Every call that was answered counts: checkout and ask_model too, and
what was refused. The 201st call ends the task, unless its validator says otherwise.

A call may have 4,000,000 bytes as JSON in UTF-8, nest 64 levels deep with the two around its arguments, and hold
50,000 lists, dicts and texts, names and keys among them. One that has more, or what is no JSON, such as NaN or a set,
is a ToolError before anything is sent, and does not count. Calls of several threads wait for one another; a process
that the agent forked cannot call.
"""

from shop_channel import ToolError, call

__all__ = ["ToolError", "ask_model", "cart", "product", "search", "vouchers"]


def search(query, limit=10):
    """Products that answer to the words of the query, the best first; 50 at most."""
    return call("search", query=str(query), limit=int(limit))


def product(product_id):
    """One product by its id."""
    return call("product", product_id=str(product_id))


def vouchers():
    """What vouchers there are: code, seller, percent."""
    return call("vouchers")


def ask_model(messages, model=None, max_tokens=256):
    """What a language model answers, through the miner's own provider; a text or a list of messages.

    A message is a dict of role and content, both texts. A conversation may have as many of them, and as long ones,
    as fit into one call: 4,000,000 bytes as JSON in UTF-8, in which a letter beyond ASCII takes two to four. Longer
    ones are a ToolError before anything is sent: leave out what is old. A text must not hold a NUL; max_tokens is at
    most 8192. What went wrong at the provider is a ToolError too. Each question that was sent counts as a call.
    """
    asked = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    return call("ask_model", messages=asked, model=model, max_tokens=int(max_tokens))


class _Cart:
    def add(self, product_id):
        """Puts one piece into the cart; what the cart then holds."""
        return call("cart_add", product_id=str(product_id))

    def remove(self, product_id):
        return call("cart_remove", product_id=str(product_id))

    def items(self):
        """The ids of what is in the cart."""
        return call("cart_items")

    def total(self):
        """In EUR, with the voucher if one is used."""
        return call("cart_total")

    def use_voucher(self, code):
        return call("cart_use_voucher", code=str(code))

    def checkout(self):
        """Places the one order that a task has; the shop takes nothing after it."""
        return call("cart_checkout")


cart = _Cart()
