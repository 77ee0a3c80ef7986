/** Seconds of a task that only an agent without an end is meant to reach, however busy the machine. */
const longSeconds = '60';

interface HostileAgent {
  readonly title: string;
  readonly taskSeconds: string;
  readonly code: string;
  readonly reason: RegExp;
}

/** Files that take what is not theirs, or end before they begin: each fails by its own fault. */
export const hostileAgents: readonly HostileAgent[] = [
  {
    title: 'takes all memory',
    taskSeconds: longSeconds,
    code: 'def agent_main(problem):\n    kept = []\n    while True:\n        kept.append("x" * 30_000_000 + str(len(kept)))\n',
    reason: /^memory_limit: the agent took more memory/,
  },
  {
    title: 'never ends',
    taskSeconds: '2',
    code: 'def agent_main(problem):\n    while True:\n        pass\n',
    reason: /^(time|cpu)_limit: /,
  },
  {
    title: 'prints without end',
    taskSeconds: longSeconds,
    code: 'def agent_main(problem):\n    while True:\n        print("x" * 10_000)\n',
    reason: /^output_limit: /,
  },
  {
    title: 'forks without end and swallows every refusal',
    taskSeconds: '2',
    code: 'import os\n\ndef agent_main(problem):\n    while True:\n        try:\n            os.fork()\n        except OSError:\n            pass\n',
    // Whichever its children reach first.
    reason: /^(time|memory)_limit: /,
  },
  {
    title: 'raises before its first step',
    taskSeconds: longSeconds,
    code: 'raise RuntimeError("never tried")\n',
    reason: /^raised: .*RuntimeError: never tried/,
  },
];
