"""BM25 written by hand over the titles that searches return."""
import math
from collections import Counter, defaultdict
from heapq import nlargest

K1, B = 1.2, 0.75
STOP = set("""a an and are as at be by for from has i in is it its looking me of on or show that the to
want was with find need please priced costing between above below shops shop offering both also""".split())


class Bm25:
    def __init__(self, documents):
        self.names = [name for name, _ in documents]
        self.bags = [Counter(self.words(text)) for _, text in documents]
        self.lengths = [sum(bag.values()) for bag in self.bags]
        self.mean = sum(self.lengths) / len(self.lengths) if self.lengths else 0.0
        self.postings = defaultdict(list)
        for number, bag in enumerate(self.bags):
            for word in bag:
                self.postings[word].append(number)

    @staticmethod
    def words(text):
        return [w for w in "".join(c if c.isalnum() else " " for c in text.lower()).split() if w not in STOP]

    def idf(self, word):
        n, df = len(self.bags), len(self.postings.get(word, ()))
        return math.log(1 + (n - df + 0.5) / (df + 0.5))

    def scores(self, query):
        total = defaultdict(float)
        for word in set(self.words(query)):
            idf = self.idf(word)
            for number in self.postings.get(word, ()):
                tf = self.bags[number][word]
                norm = 1 - B + B * self.lengths[number] / (self.mean or 1)
                total[number] += idf * tf * (K1 + 1) / (tf + K1 * norm)
        return total

    def best(self, query, n=5):
        scores = self.scores(query)
        return [(self.names[i], round(s, 4)) for i, s in nlargest(n, scores.items(), key=lambda kv: kv[1])]

    def __len__(self):
        return len(self.bags)

    def __contains__(self, word):
        return word in self.postings


def agent_main(problem, find):
    goal = problem["goal_text"]
    offers = {offer["product_id"]: offer for offer in find(goal, limit=50)}
    index = Bm25([(key, offer["title"]) for key, offer in offers.items()])
    return [key for key, score in index.best(goal, 3) if score > 0.1]
