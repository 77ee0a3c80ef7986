"""TF-IDF with cosine similarity; idf values learnt beforehand are keyed by their words."""
from collections import Counter
from math import log, sqrt

IDF = {
    "cotton": 3.214579, "leather": 3.871203, "wireless": 2.904417, "bluetooth": 2.771846, "waterproof": 3.104881,
    "portable": 2.653308, "stainless": 3.402297, "organic": 3.998105, "rechargeable": 3.335570, "foldable": 3.620014,
    "magnetic": 3.551267, "ceramic": 3.702345, "bamboo": 4.120987, "silicone": 3.017726, "polyester": 3.448851,
    "dimmable": 4.500213, "hypoallergenic": 4.812006, "breathable": 3.289914, "adjustable": 2.843107, "vintage": 3.910022,
}
DEFAULT_IDF = 5.5
VECTOR = [0.12894, -0.55012, 0.30981, 0.77102, -0.08713, 0.41098, 0.66612, -0.91873, 0.20099, 0.10001]


class Space:
    def __init__(self, texts):
        bags = [Counter(text.lower().split()) for text in texts]
        df = Counter(word for bag in bags for word in bag)
        self.idf = {word: log((1 + len(bags)) / (1 + n)) + 1 for word, n in df.items()}
        self.vectors = [self.vector(bag) for bag in bags]

    def vector(self, bag):
        raw = {w: (1 + log(n)) * self.idf.get(w, IDF.get(w, DEFAULT_IDF)) for w, n in bag.items()}
        norm = sqrt(sum(v * v for v in raw.values())) or 1.0
        return {w: v / norm for w, v in raw.items()}

    def nearest(self, text, k=3):
        query = self.vector(Counter(text.lower().split()))
        cosines = [(sum(v * vector.get(w, 0.0) for w, v in query.items()), i) for i, vector in enumerate(self.vectors)]
        return sorted(cosines, reverse=True)[:k]


def agent_main(problem, find):
    offers = list(find(problem["goal_text"], limit=30))
    space = Space([offer["title"] for offer in offers])
    return [offers[i]["product_id"] for score, i in space.nearest(problem["goal_text"]) if score > 0.2]
