/**
 * Sessions by service, and where one signed in last, in a file that its owner alone may read.
 *
 * 1. The file never has a wider mode than 0600, not even while it is written.
 * 2. It holds no secret key unless the owner asked for that.
 */

import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { parsedJson } from '../../../machines/parsed-json.ts';

const session = z.object({
  hotkey: z.string(),
  role: z.enum(['miner', 'validator']),
  token: z.string(),
  /** Unix seconds. */
  expires_at: z.number(),
  /** 64 bytes as hex, of `login --keep-key`: signs each request when the session is over. */
  secret_key: z.string().optional(),
});

const content = z.object({
  current: z.string().optional(),
  sessions: z.record(z.string(), session).default({}),
});

export type StoredSession = z.infer<typeof session>;

export class SessionFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The service that was signed in to last. */
  async current(): Promise<string | undefined> {
    return (await this.#read()).current;
  }

  async of(baseUrl: string): Promise<StoredSession | undefined> {
    return (await this.#read()).sessions[baseUrl];
  }

  async keep(baseUrl: string, kept: StoredSession): Promise<void> {
    const { sessions } = await this.#read();
    await this.#write({ current: baseUrl, sessions: { ...sessions, [baseUrl]: kept } });
  }

  async forget(baseUrl: string): Promise<void> {
    const { sessions, ...rest } = await this.#read();
    const { [baseUrl]: _, ...others } = sessions;
    await this.#write({ ...rest, sessions: others });
  }

  async #read(): Promise<z.infer<typeof content>> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw error;
    });
    const parsed = content.safeParse(parsedJson(text));
    if (parsed.success) return parsed.data;
    // What cannot be read is nobody's session; signing in writes it anew.
    return { sessions: {} };
  }

  async #write(value: z.infer<typeof content>): Promise<void> {
    const folder = dirname(this.path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const next = `${this.path}.${process.pid}`;
    try {
      await writeFile(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await chmod(next, 0o600);
      await rename(next, this.path);
    } finally {
      await rm(next, { force: true });
    }
  }
}
