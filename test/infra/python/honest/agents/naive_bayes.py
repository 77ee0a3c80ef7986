"""Naive Bayes and a perceptron trained at start on a handful of readable lines."""
import collections
import math
import random

TRAINING = """
fashion | short sleeve shirt loose fit cotton size XL summer
fashion | women tote bag canvas large simple pattern
fashion | men vest lace 5XL sleeveless
phones | case for oppo a16 with built-in stand
phones | realme 12GB RAM 50 MP camera OLED display
phones | power volume button flex replacement oppo a5s
beauty | hair dye cream permanent colour set
beauty | soothing gel mist aloe vera oily skin
beauty | lip balm trio single piece
home | wall mounted kitchen cabinet wood
home | silicone pot holder heat proof
home | seat cushion pad thick office chair
pets | dry dog shampoo nature scent
pets | cat litter box with scoop
sports | badminton net portable rack
sports | foam roller yoga massage waterproof
tools | battery tester coulomb meter 8-120V 50A 100A 350A 500A
tools | car sponge pads wax applicator 10pcs
"""


class NaiveBayes:
    def __init__(self, lines):
        self.words, self.labels = collections.defaultdict(collections.Counter), collections.Counter()
        for line in filter(None, map(str.strip, lines)):
            label, _, text = line.partition(" | ")
            self.labels[label] += 1
            self.words[label].update(text.lower().split())
        self.vocabulary = set().union(*self.words.values())

    def __call__(self, text):
        scores = {}
        for label, n in self.labels.items():
            total = sum(self.words[label].values()) + len(self.vocabulary)
            scores[label] = math.log(n) + sum(
                math.log((self.words[label][word] + 1) / total) for word in text.lower().split()
            )
        return max(scores, key=scores.__getitem__)


class Perceptron:
    def __init__(self, rounds=10, seed=7):
        self.weights, self.rng, self.rounds = collections.defaultdict(float), random.Random(seed), rounds

    def train(self, examples):
        for _ in range(self.rounds):
            for words, wanted in self.rng.sample(examples, len(examples)):
                if (sum(self.weights[w] for w in words) > 0) != wanted:
                    for word in words:
                        self.weights[word] += 1 if wanted else -1
        return self

    def __getitem__(self, text):
        return sum(self.weights.get(word, 0.0) for word in text.split())


def softmax(xs):
    top = max(xs)
    exps = [math.exp(x - top) for x in xs]
    return [e / sum(exps) for e in exps]


def agent_main(problem, find):
    classify = NaiveBayes(TRAINING.splitlines())
    category = classify(problem["goal_text"])
    liked = Perceptron().train([(("cheap", "original"), True), (("fake", "used"), False)])
    return sorted(find(f"{problem['goal_text']} {category}"), key=lambda o: -liked[o["title"].lower()])[:1]
