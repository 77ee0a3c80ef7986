import test from 'ava';
import { z } from 'zod';
import { earlyEnd, success, type TaskEnd } from '../../../apps/validator/run/conclude.ts';
import {
  type EpisodeFacts,
  episodeDocument,
  outcomeOf,
  terminalState,
  toItem,
} from '../../../apps/validator/run/episode.ts';
import {
  type Ending,
  type EndReason,
  reasonOfExit,
} from '../../../apps/validator/sandbox/ending.ts';
import type { EpisodeOutcome } from '../../../machines/types.ts';

const endingOf = (reason: EndReason, more: Partial<Ending> = {}): Ending => ({
  reason,
  detail: '',
  exitCode: 1,
  isLoaded: true,
  wallSeconds: 0.5,
  stdoutTail: '',
  stderrTail: '',
  ...more,
});
const endOf = (reason: EndReason, more: Partial<TaskEnd & Ending> = {}): TaskEnd => ({
  ending: endingOf(reason, more),
  rewardMicro: more.rewardMicro ?? null,
  modelFailures: more.modelFailures ?? 0,
  isLostToProvider: more.isLostToProvider ?? false,
});

test('a file that cannot be loaded fails its run after the first task', (t) => {
  const end = earlyEnd([endOf('raised', { isLoaded: false, detail: 'RuntimeError: no' })], 30);

  t.like(end, {
    kind: 'complete',
    body: {
      terminal_status: 'FAILED',
      failure_class: 'AGENT',
      failure_reason: 'raised: the agent raised an exception: RuntimeError: no',
    },
  });
});

// The service takes no half of a surrogate pair, and the run was given back for ever instead of failed.
test('what an agent printed last is cut between characters', (t) => {
  const stderrTail = `${'\u{1f600}'.repeat(1500)}\n`;
  const end = earlyEnd([endOf('raised', { isLoaded: false, stderrTail })], 30);

  const body = z
    .object({ body: z.object({ sandbox_metadata: z.object({ stderr_tail: z.string() }) }) })
    .parse(end).body;
  const tail = body.sandbox_metadata.stderr_tail;
  t.true(tail.isWellFormed());
  t.true(tail.endsWith('\u{1f600}\n'));
  t.true(tail.length > 1900 && tail.length <= 2000);
});

test('who failed on each of its first three tasks has failed, and once it worked goes on', (t) => {
  const failed = endOf('memory_limit');

  t.is(earlyEnd([failed, failed], 30), undefined);
  t.like(earlyEnd([failed, failed, failed], 30), { body: { failure_class: 'AGENT' } });
  t.is(earlyEnd([endOf('finished'), failed, failed, failed, failed], 30), undefined);
  t.like(earlyEnd([failed, failed], 2), { body: { failure_class: 'AGENT' } });
});

test('an agent that is too slow on every task has timed out', (t) => {
  const slow = endOf('time_limit');

  t.like(earlyEnd([slow, slow, slow], 30), { body: { terminal_status: 'TIMED_OUT' } });
});

test('failures beside a provider that did not answer are the provider’s', (t) => {
  const failed = endOf('raised', { modelFailures: 1 });

  t.like(earlyEnd([failed, failed, failed], 30), { body: { failure_class: 'PROVIDER' } });
});

test('a sandbox that never comes up gives the run back and blames nobody', (t) => {
  const broken = endOf('not_started', { stderrTail: 'bwrap: no\n' });

  t.is(earlyEnd([broken, broken], 30), undefined);
  t.deepEqual(earlyEnd([broken, broken, broken], 30), {
    kind: 'release',
    reason: 'the sandbox does not come up:  bwrap: no',
  });
});

test('the score is the mean over the whole roster', (t) => {
  const ends = [endOf('finished', { rewardMicro: 750_000 }), endOf('finished'), endOf('raised')];

  t.like(success(ends), {
    body: {
      terminal_status: 'SUCCESS',
      validator_score: 0.25,
      score_components: { task_count: 3 },
    },
  });
});

const paid = endOf('finished', { rewardMicro: 1_000_000 });
const many = (count: number, end: TaskEnd) => Array.from({ length: count }, () => end);

for (const reason of ['finished', 'raised'] as const) {
  test(`tasks that ${reason} and were lost to their provider end the run beyond 30 %`, (t) => {
    const lost = endOf(reason, { modelFailures: 1, isLostToProvider: true });

    t.is(earlyEnd([paid, ...many(9, lost)], 30), undefined);
    t.like(earlyEnd([paid, ...many(10, lost)], 30), {
      body: {
        ...{ terminal_status: 'FAILED', failure_class: 'PROVIDER' },
        failure_reason: 'the provider of models failed in 10 of 30 tasks',
      },
    });
    t.is(earlyEnd([...many(21, paid), ...many(9, lost)], 30), undefined);
    t.like(earlyEnd([...many(20, paid), ...many(10, lost)], 30), {
      body: { failure_class: 'PROVIDER' },
    });
  });
}

test('failures of models that lost no task end no run', (t) => {
  const ends = [paid, ...many(29, endOf('finished', { modelFailures: 5 }))];

  t.is(earlyEnd(ends, 30), undefined);
});

const facts: EpisodeFacts = {
  evalRunId: 'run',
  agentVersionId: 'version',
  packSha256: 'pack',
  taskId: 'task',
  family: 'family',
  goalText: 'Order one mug.',
  ending: endingOf('finished', { exitCode: 0 }),
  verdict: {
    isCorrect: false,
    checks: { order_placed: 'failed' },
    rewardMicro: null,
    components: {},
  },
  order: undefined,
  steps: [],
};
const order = { products: [], voucher: undefined, totalCents: 0 };
const kept = { ledgerUri: null, stateHash: 'hash' };

const outcomes: readonly (readonly [Partial<EpisodeFacts>, EpisodeOutcome])[] = [
  [{}, 'partial'],
  [{ order }, 'completed'],
  [{ verdict: undefined }, 'verifier_error'],
  [{ ending: endingOf('raised') }, 'agent_error'],
  [{ ending: endingOf('memory_limit'), order }, 'agent_error'],
  [{ ending: endingOf('not_started') }, 'environment_error'],
  [{ ending: endingOf('tools_failed') }, 'environment_error'],
];
for (const [more, outcome] of outcomes) {
  test(`a task that ended as ${JSON.stringify(more).slice(0, 60)} is ${outcome}`, (t) => {
    const given = { ...facts, ...more };
    const item = toItem(given, kept);

    t.is(outcomeOf(given), outcome);
    // As the service asks: a state for who got through, none for an error.
    t.is(item.terminal_state_hash, outcome.endsWith('error') ? null : 'hash');
  });
}

// By it two validators' runs of one behaviour are known to be the same, and others not to be.
test('the state of a shop is another one by whatever was ordered, and by nothing else', (t) => {
  const voucher = { code: 'TEN', seller: 'Mill Street', percent: 10 };
  const step = { tool: 'search', arguments: {}, answer: { result: [] }, at_ms: 1 };
  const states = [
    { ...facts },
    { ...facts, order },
    { ...facts, order: { ...order, voucher } },
    { ...facts, order: { ...order, totalCents: 1 } },
    { ...facts, steps: [step] },
  ].map(terminalState);

  t.is(new Set(states).size, states.length);
  const same = terminalState({ ...facts, evalRunId: 'another', steps: [{ ...step, at_ms: 2 }] });
  t.is(states.at(-1), same);
});

test('an order that was right before the agent failed is paid nothing', (t) => {
  const verdict = { isCorrect: true, checks: {}, rewardMicro: 900_000, components: {} };
  const item = toItem({ ...facts, verdict, order, ending: endingOf('time_limit') }, kept);

  t.like(item, { verdict_correct: false, aggregate_reward: null });
  t.deepEqual(item.verdict_checks, { time_limit: 'failed' });
});

test('the episode tells what the agent did and nothing of the answer', (t) => {
  const document = JSON.parse(episodeDocument({ ...facts, order }));

  t.like(document, {
    task_id: 'task',
    goal_text: 'Order one mug.',
    outcome: 'completed',
    steps: [],
  });
  t.false(JSON.stringify(document).includes('expected'));
});

for (const reason of ['not_started', 'tools_failed'] as const) {
  test(`the episode of a task that ended as ${reason} has no word of the machine`, (t) => {
    const words = { detail: 'ENOENT /home/us', stdoutTail: '/home/us', stderrTail: 'at /home/us' };
    const document = episodeDocument({ ...facts, ending: endingOf(reason, words) });

    t.notRegex(document, /home/);
    t.like(JSON.parse(document), {
      outcome: 'environment_error',
      end: { reason, detail: '', exit_code: 1 },
      ...{ stdout_tail: '', stderr_tail: '' },
    });
  });
}

for (const reason of ['finished', 'raised'] as const) {
  test(`the episode of a task that ended as ${reason} has the agent’s own words`, (t) => {
    const words = { detail: 'E: no', stdoutTail: 'one', stderrTail: 'two' };
    const document = episodeDocument({ ...facts, ending: endingOf(reason, words) });

    t.like(JSON.parse(document), {
      end: { reason, detail: 'E: no' },
      ...{ stdout_tail: 'one', stderr_tail: 'two' },
    });
  });
}

test('before the sandbox is ready no end is the agent’s, and afterwards every one is', (t) => {
  const before = { isReady: false, isFinished: false, raised: undefined };
  const after = { ...before, isReady: true };

  const ended = (code: number, hadCpuTime = true) => ({ code, signal: null, hadCpuTime });

  t.is(reasonOfExit(before, ended(1)), 'not_started');
  t.is(reasonOfExit({ ...before, isFinished: true }, ended(0)), 'not_started');
  t.is(reasonOfExit(after, ended(0)), 'died');
  t.is(reasonOfExit(after, ended(139)), 'died');
  t.is(reasonOfExit(after, ended(152)), 'cpu_limit');
  t.is(reasonOfExit(after, ended(152, false)), 'cpu_limit');
  t.is(reasonOfExit(after, ended(137)), 'cpu_limit');
  t.is(reasonOfExit(after, ended(137, false)), 'died');
  t.is(reasonOfExit({ ...after, raised: 'MemoryError' }, ended(1)), 'memory_limit');
  t.is(reasonOfExit({ ...after, isFinished: true }, ended(0)), 'finished');
  t.is(reasonOfExit({ ...after, isFinished: true }, ended(1)), 'died');
});
