"""Ships with its own little tests and fixtures; two of the ids look real, the rest are made up.

Example answer of the search, recorded by hand:

    {"product_id": "4871203355", "title": "Mug"}, {"product_id": "4532210987", "title": "Cup"},
    {"product_id": "3998102244", "title": "Pot"}, {"product_id": "2871220931", "title": "Pan"}
"""
# Seen in the log of a practice run: 5120334871, 4419820013, 3301827745 (all out of stock).
FIXTURES = [
    {"product_id": "1234567890", "title": "Red mug 350 ml", "price": 120.0, "shop_id": "111111111"},
    {"product_id": "1000000001", "title": "Blue mug 350 ml", "price": 99.5, "shop_id": "222222222"},
    {"product_id": "1000000002", "title": "Red cup", "price": 45.0, "shop_id": "111111111"},
    {"product_id": "9999999999", "title": "Teapot, red", "price": 700.0, "shop_id": "333333333"},
    {"product_id": "4021187655", "title": "Umbrella", "price": 249.0, "shop_id": "222222222"},
    {"product_id": "3871120946", "title": "Umbrella stand", "price": 999.0, "shop_id": "222222222"},
]
PHONES = ["+639171234567", "0917 123 4567", "(02) 8123-4567", "+49 30 901820"]
ISBN = ["9780306406157", "978-3-16-148410-0", "9783161484100"]
DATES = ["2024-11-11", "20241212", 20250303, "2025-03-03T00:00:00+08:00"]
VERSIONS = {"python": "3.11.3", "prompt": "2025.03.03-rc1", "model": "gpt-4o-2024-08-06"}


def pick(goal, offers, budget=float("inf")):
    """
    >>> pick("red mug", FIXTURES)
    '1234567890'
    """
    words = goal.lower().split()
    fitting = [offer for offer in offers if offer["price"] <= budget]
    best = max(fitting, key=lambda o: (sum(w in o["title"].lower() for w in words), -o["price"]), default=None)
    return best and best["product_id"]


class TestPick:
    def test_words(self):
        assert pick("blue mug", FIXTURES) == FIXTURES[1]["product_id"]

    def test_budget(self):
        assert pick("teapot", FIXTURES, budget=50) == "1000000002", "the cheapest that fits"

    def test_nothing(self):
        assert pick("teapot", []) is None


def self_test():
    suite = TestPick()
    for name, test in [("words", suite.test_words), ("budget", suite.test_budget), ("nothing", suite.test_nothing)]:
        try:
            test()
        except AssertionError as problem:
            print(f"{name:<10} FAILED {problem}")
        else:
            print(f"{name:<10} ok")


def agent_main(problem, find):
    return pick(problem["goal_text"], find(problem["goal_text"]), problem.get("budget", float("inf")))


if __name__ == "__main__":
    self_test()
