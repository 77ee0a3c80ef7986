"""Few-shot examples for a rewriting model: whole sentences and what to search for."""
import json

EXAMPLES = [
    {"query": "Looking for a blue folding umbrella under 300 PHP", "search": "folding umbrella blue", "max": 300},
    {"query": "Show me wall clocks with silent movement, priced above 85 PHP.", "search": "silent wall clock", "min": 85},
    {"query": "I need a travel mug that keeps coffee hot for 12 hours", "search": "vacuum travel mug 500ml"},
    {"query": "Find shops offering both a yoga mat and a foam roller", "search": ["yoga mat", "foam roller"]},
]
REWRITES = {
    "Looking for something to keep my laptop cool on the bed": "laptop cooling pad",
    "I want shoes that do not slip in the kitchen": "non-slip kitchen shoes",
    "Show me a present for a girl who likes horses": "horse toy gift",
    "Something against mosquitoes without any smell please": "ultrasonic mosquito repellent",
    "Looking for a phone case that fits my Oppo A5S": "oppo a5s case",
    "Do you have a charger for a Galaxy S21 5G 128GB phone": "usb-c charger 25w",
}
INTENTS = {
    "where is my order and when will it arrive": "track_order",
    "how do I return something that I do not like": "return_item",
    "can I pay when the parcel is delivered": "payment_cod",
    "does this voucher work for every product": "voucher_scope",
}
FAQ = [
    ("What does LazMall mean for a product?", "Sold by an official store, guaranteed authentic, easy returns."),
    ("How long does the delivery usually take?", "Two to five days inside Metro Manila, up to ten elsewhere."),
    ("Is cash on delivery possible for big orders?", "Up to 10,000 PHP, depending on the seller."),
]
TOOL_RESULT = '{"product_id": "4021187655", "title": "Foldable umbrella", "price": 249.0, "rating": 4.8}'


def nearest(goal):
    words = set(goal.lower().split())
    return max(EXAMPLES, key=lambda e: len(words & set(e["query"].lower().split())))


def prompt(goal):
    shots = "\n\n".join(f"Input: {one['query']}\nOutput: {json.dumps(one['search'])}" for one in EXAMPLES)
    more = "\n".join(f"{source} => {target}" for source, target in REWRITES.items())
    return f"{shots}\n\n{more}\n\nA tool result looks like {TOOL_RESULT}.\n\nInput: {goal}\nOutput: "


def agent_main(problem, ask, find):
    answer = ask(prompt(problem["goal_text"]))
    if answer.strip() == "I could not find any products for this request.":
        answer = nearest(problem["goal_text"])["search"]
    return find(answer if isinstance(answer, str) else " ".join(answer))
