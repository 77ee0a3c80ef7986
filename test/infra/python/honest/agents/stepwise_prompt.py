"""A prompt that is put together step by step, and filled at the end."""


def build(query, style):
    prompt = "You are a careful shopper.\n"
    if style != "short":
        prompt = prompt + "Say why each product fits.\n"
    if style != "plain":
        prompt = prompt + "Put names in bold.\n"
    if style != "cheap":
        prompt = prompt + "Prefer high ratings.\n"
    if style != "fast":
        prompt = prompt + "Compare at least three products.\n"
    if style != "bold":
        prompt = prompt + "Ask when you are not sure.\n"
    if style != "quiet":
        prompt = prompt + "Report each step.\n"
    if style != "loyal":
        prompt = prompt + "Look into other shops too.\n"
    if style != "new":
        prompt = prompt + "Read the reviews.\n"
    if style != "local":
        prompt = prompt + "Mind the costs of delivery.\n"
    if style != "gift":
        prompt = prompt + "Leave out gift wraps.\n"
    if style != "bulk":
        prompt = prompt + "Buy one piece.\n"
    if style != "trial":
        prompt = prompt + "Use vouchers where they help.\n"
    if style != "voucher":
        prompt = prompt + "Never buy twice.\n"
    if style != "last":
        prompt = prompt + "Letters of the task: {count}\n"
    return prompt.format(count=len(query))


STEP_1 = "Task: {task}\n"
STEP_2 = STEP_1 + "Budget: {budget}\n"
STEP_3 = STEP_2 + "Shops: {shops}\n"
STEP_4 = STEP_3 + "- keep to the budget\n"
STEP_5 = STEP_4 + "- prefer high ratings\n"
STEP_6 = STEP_5 + "- use vouchers\n"
STEP_7 = STEP_6 + "- never buy twice\n"
STEP_8 = STEP_7 + "- say when nothing fits\n"
STEP_9 = STEP_8 + "Answer as JSON.\n"


def told(task):
    return STEP_9.format(task=task, budget=task.budget, shops=[]) + STEP_2.format(task=task, budget=3)
