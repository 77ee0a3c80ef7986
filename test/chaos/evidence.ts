import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { History } from './clients/history.ts';
import { describeFault } from './faults/fault-plan.ts';
import type { Injected } from './faults/injector.ts';

/** Keeps what one needs to understand a violation; the folder is never removed by us. */
export async function keepEvidence(
  dataDir: string,
  found: {
    readonly history: History;
    readonly injected: readonly Injected[];
    readonly violations: readonly string[];
  },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-chaos-'));
  const faults = found.injected.map(({ fault, startMs, endMs, wasIdle, partitions }) => {
    const told = { fault: describeFault(fault), startMs, endMs, wasIdle };
    return JSON.stringify({ ...told, partitions: [...partitions] });
  });
  const attempts = found.history.attempts.map((attempt) => JSON.stringify(attempt));
  await writeFile(join(folder, 'history.jsonl'), attempts.join('\n'));
  await writeFile(join(folder, 'faults.jsonl'), faults.join('\n'));
  await writeFile(join(folder, 'violations.txt'), found.violations.join('\n'));
  await cp(join(dataDir, 'logs'), join(folder, 'logs'), { recursive: true });
  return folder;
}
