import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { completionBody } from '../delivery/delivery.ts';
import { writeSynced } from '../write-synced.ts';

const note = z.object({
  eval_run_id: z.string(),
  /** As its claim said; unknown of a run that a version before has noted. */
  heartbeat_interval_seconds: z.number().positive().optional(),
  /** How it ended, from its last task on: what is left to do then is to say so. */
  completion: completionBody.optional(),
});

export type NotedRun = z.infer<typeof note>;

/** Which run this validator holds, for the process that comes after a crash. */
export interface RunNote {
  read(): Promise<NotedRun | undefined>;
  /** On disk when it resolves. */
  write(run: NotedRun): Promise<void>;
  clear(): Promise<void>;
}

export function runNote(folder: string): RunNote {
  const path = join(folder, 'run.json');
  return {
    async read() {
      try {
        return note.parse(JSON.parse(await readFile(path, 'utf8')));
      } catch {
        // None, or one that a crash has cut: its lease ends by itself then.
        return undefined;
      }
    },
    write: (run) => writeSynced(path, JSON.stringify(run)),
    clear: () => rm(path, { force: true }),
  };
}
