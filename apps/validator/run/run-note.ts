import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const note = z.object({ eval_run_id: z.string() });

/** Which run this validator holds, for the process that comes after a crash. */
export interface RunNote {
  read(): Promise<string | undefined>;
  write(evalRunId: string): Promise<void>;
  clear(): Promise<void>;
}

export function runNote(folder: string): RunNote {
  const path = join(folder, 'run.json');
  return {
    async read() {
      try {
        return note.parse(JSON.parse(await readFile(path, 'utf8'))).eval_run_id;
      } catch {
        // None, or one that a crash has cut: its lease ends by itself then.
        return undefined;
      }
    },
    async write(evalRunId) {
      await writeFile(`${path}.new`, JSON.stringify({ eval_run_id: evalRunId }), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    clear: () => rm(path, { force: true }),
  };
}
