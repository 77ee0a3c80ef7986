import { randomBytes } from 'node:crypto';
import type { ServiceDoor } from '../edge.ts';
import type { TestKey } from '../edge-client.ts';
import type { Canary } from './secret-scanner.ts';

/** A live run whose agent may ask models. */
export interface PlantedRun {
  readonly evalRunId: string;
  readonly packSha256: string;
  readonly token: string;
  readonly validator: TestKey;
}

export interface PlantingWorld {
  readonly door: ServiceDoor;
  readonly miners: readonly TestKey[];
  readonly runs: readonly PlantedRun[];
  /** Undefined: a good day. */
  readonly trouble: (kind: 'cut' | 'status' | undefined) => Promise<void>;
  readonly planting: Planting;
}

/** 44 characters; those that are escaped somewhere stand apart, so that no two secrets share a window. */
export function oddSecret(): string {
  const random = randomBytes(30).toString('base64');
  return ['"', '/', '+ ', '&'].reduce(
    (text, odd, index) => text + odd + random.slice(8 * index + 8, 8 * index + 16),
    random.slice(0, 8),
  );
}

/** What was planted, and what the service answered. */
export class Planting {
  readonly canaries: Canary[] = [];
  readonly answers = new Map<number, number>();
  readonly #onAnswer: (text: string) => void;

  constructor(onAnswer: (text: string) => void) {
    this.#onAnswer = onAnswer;
  }

  /** A fresh secret that JSON, URLs and forms spell in another way. */
  secret(kind: string, prefix = ''): string {
    return this.known(kind, prefix + oddSecret());
  }

  /** The same where only letters and digits may stand, as in headers, paths and base64. */
  word(kind: string, prefix = ''): string {
    return this.known(kind, prefix + randomBytes(24).toString('hex'));
  }

  /** A secret that somebody else made. */
  known(kind: string, secret: string): string {
    this.canaries.push({ kind, secret });
    return secret;
  }

  /** A secret that the service made and rightly tells in this answer. */
  async take(
    kind: string,
    answer: Response | undefined,
    pattern: RegExp,
  ): Promise<string | undefined> {
    const text = (await answer?.text().catch(() => '')) ?? '';
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) this.known(kind, found);
    return found;
  }

  /** The answer as the searcher gets it: without those secrets that it rightly returns. */
  async hear(
    asked: Promise<Response> | Response,
    rightly: readonly string[] = [],
  ): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await Promise.resolve(asked).catch(() => undefined);
    // Whoever was asked has been killed on the way.
    if (answer === undefined) return { status: 0, text: '' };
    const text = await answer.text().catch(() => '');
    const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    this.answers.set(answer.status, (this.answers.get(answer.status) ?? 0) + 1);
    this.#onAnswer(rightly.reduce((said, own) => said.replaceAll(own, ''), `${head}\n\n${text}\n`));
    return { status: answer.status, text };
  }
}
