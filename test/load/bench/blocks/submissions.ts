import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomId } from '../../../../infra/ids/ids.ts';
import { clientOf, registerKeys } from '../../../support/service-world.ts';
import { alternate } from '../alternate.ts';
import { notGood } from '../asking.ts';
import { type Block, type Figure, mustBeRight } from '../block.ts';
import { compared, read } from '../judge.ts';
import type { Lab } from '../lab.ts';

const kilobytes = [1, 100, 900];
/** The size that the goal speaks of. */
const largest = 900;
/** Of the next file: no two of a run are alike. */
let number = 0;
/** Unreadable, or readable and invalid. */
const refused = [400, 422];

/** From the first byte of a file to the verdict, beside `python3` that only parses it. */
export const submissions: Block = {
  name: 'submissions',
  goals: [18, 19],
  isQuick: false,
  async run(lab) {
    const { world } = await lab.product();
    const [keypair] = await registerKeys(world, 'miner', { count: 1 });
    if (keypair === undefined) throw new Error('there is no miner');
    const client = clientOf(world, keypair);
    const submit = async (code: string) => {
      const form = new FormData();
      form.set('agent_name', 'measured');
      form.set('file', new Blob([code], { type: 'text/x-python' }), 'measured.py');
      const startedMs = performance.now();
      const reply = await client.request('POST', '/v1/miner/submit', {
        ...{ form, idempotencyKey: randomId() },
      });
      return { ms: performance.now() - startedMs, status: reply.status };
    };
    const figures: Figure[] = [];
    // The first file pays for the start of what reads it.
    await submit(legal(largest, number++));
    for (const size of kilobytes) {
      const rounds = await alternate(lab.rounds, {
        ours: async () => {
          const { ms, status } = await submit(legal(size, number++));
          mustBeRight(status === 200 ? [] : [`a legal file of ${size} kB was answered ${status}`]);
          return ms;
        },
        python: () => parsedByPython(legal(size, number++)),
      });
      const bounds = size === largest ? { goal: 18, must: 1 / 2, aim: 1 / 6 } : { goal: null };
      figures.push(
        compared({
          ...{ what: `submit ${size} kB`, unit: 'ms', to: 'peer', name: 'python3 ast.parse' },
          ...{ ...bounds, isHigherBetter: false },
          pairs: rounds.map(({ ours, python }) => ({ ours, theirs: python })),
        }),
      );
    }
    const beside = await healthBeside(lab, async () => {
      const { status } = await submit(legal(largest, number++));
      mustBeRight(status === 200 ? [] : [`a legal file was answered ${status}`]);
    });
    const hostileMs: number[] = [];
    for (let round = 0; round < lab.rounds; round += 1) {
      const { ms, status } = await submit(`x = ${'('.repeat(largest * 1000 + round)}`);
      mustBeRight(refused.includes(status) ? [] : [`a bomb of brackets was answered ${status}`]);
      hostileMs.push(ms);
    }
    return [
      ...figures,
      read({
        ...{ goal: 18, what: `GET /health while ${largest} kB are submitted, p99`, unit: 'ms' },
        ...{ values: [beside.p99Ms], must: 10, isHigherBetter: false },
        note: `${beside.submitted} files one after the other; p50 ${beside.p50Ms.toFixed(1)} ms, worst ${beside.worstMs.toFixed(1)} ms`,
      }),
      read({
        ...{ goal: 19, what: 'refuse 900 kB of opening brackets', unit: 'ms', values: hostileMs },
        ...{ must: 1_000, aim: 250, isHigherBetter: false },
      }),
    ];
  },
};

/** Whether the event loop of the edge is free for others meanwhile. */
async function healthBeside(lab: Lab, submit: () => Promise<void>) {
  const { world } = await lab.product();
  const asker = await lab.asker();
  const asking = asker.ask({
    ...{ baseUrls: world.service.baseUrls, questions: [{ method: 'GET', path: '/health' }] },
    ...{ connections: 16, seconds: lab.sized(2, 3), rate: 200 },
  });
  let isOver = false;
  const asked = asking.finally(() => {
    isOver = true;
  });
  let submitted = 0;
  try {
    for (; !isOver; submitted += 1) await submit();
  } finally {
    // The next question must not meet this answer.
    await asked;
  }
  const { latency, answers } = await asked;
  mustBeRight(notGood({ answers }));
  return {
    submitted,
    p50Ms: latency.quantileMs(0.5),
    p99Ms: latency.quantileMs(0.99),
    worstMs: latency.quantileMs(1),
  };
}

/** Ordinary functions until it is large enough, no two files alike. */
function legal(size: number, number: number): string {
  const parts = [`NUMBER = ${number}\n`, 'def act(task):\n    return task\n'];
  for (let bytes = 0, index = 0; bytes < size * 1000 - 200; index += 1) {
    const part = `def step_${index}(task, weight=${index % 7}):\n    """Look at the task again."""\n    if weight > 3:\n        return task\n    return step(task)\n`;
    parts.push(part);
    bytes += part.length;
  }
  return `def step(task):\n    return task\n${parts.join('')}`;
}

async function parsedByPython(code: string): Promise<number> {
  const startedMs = performance.now();
  const program = 'import ast,sys; ast.parse(sys.stdin.buffer.read())';
  const child = spawn('python3', ['-c', program], { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(code);
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw new Error('python3 is not there or parses no such file');
  return performance.now() - startedMs;
}
