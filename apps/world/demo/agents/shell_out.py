"""Asks the operating system instead of the shop; the analysis refuses it."""

import subprocess

CARE = 0.9


def agent_main(problem):
    return subprocess.run(["shop", "--goal", problem["goal_text"]], capture_output=True).stdout
