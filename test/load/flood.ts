import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { ForgerPlan } from './forgeries.ts';

export interface Flood {
  /** Requests per second, whatever the answers do. */
  readonly rate: number;
  readonly addresses: 'one' | 'many';
}

export interface FloodResult {
  readonly seconds: number;
  readonly sent: number;
  /** By status and code. */
  readonly answers: Readonly<Record<string, number>>;
}

// A forger has a machine of his own: on ours he runs when nobody else wants to, or the answers to
// him would be cheap and his questions dear. His rate is printed, so that it shows if he fell behind.
const priority = 10;

/** The other process that floods. */
export interface Forger extends AsyncDisposable {
  readonly pid: number;
  flood(flood: Flood): void;
  stop(): Promise<FloodResult>;
}

export async function startForger(plan: ForgerPlan): Promise<Forger> {
  const child = fork(join(import.meta.dirname, 'forger.ts'), [JSON.stringify(plan)], {
    execArgv: [],
  });
  if (child.pid !== undefined) setPriority(child.pid, priority);
  const exited = once(child, 'exit');
  const failed = exited.then(() => {
    throw new Error('the forger ended');
  });
  failed.catch(() => undefined);
  await Promise.race([once(child, 'message'), failed]);
  return {
    pid: child.pid ?? 0,
    flood: (flood) => child.send(flood),
    async stop() {
      const told = once(child, 'message');
      child.send('stop');
      const [result] = (await Promise.race([told, failed])) as [FloodResult];
      return result;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
