import type { NumberedRequest, Outcome } from './load/outcome.ts';

export interface Finding {
  readonly id: number;
  readonly category: string;
  readonly why: string;
  readonly sent: string;
  readonly got: string;
}

export interface CategoryTally {
  tried: number;
  accepted: number;
  failed: number;
  readonly statuses: Map<number, number>;
}

/** Of each kind, so many are kept to be read; all are counted. */
const findingsPerKindMax = 3;
const shownMax = 600;
/** Of the refusals, every so many are read whole. */
const readEvery = 64;

const leak =
  /node_modules|\.ts:\d|at \w+ \(|\bselect \w|insert into|postgres|nats:|127\.0\.0\.1|localhost/i;

/** Holds every answer against what its request may get. */
export class Tally {
  readonly byCategory = new Map<string, CategoryTally>();
  readonly findings: Finding[] = [];
  findingCount = 0;
  done = 0;
  readonly #kinds = new Map<string, number>();

  judge(request: NumberedRequest, { statuses, body }: Outcome): void {
    this.done += 1;
    const tally = this.#of(request.category);
    tally.tried += 1;
    const seen = statuses.length === 0 ? [0] : statuses;
    for (const status of seen) tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    const why = this.#objection(request, seen, body);
    if (why === undefined) return;
    if (seen.some((status) => status >= 500)) tally.failed += 1;
    else if (seen.some((status) => status >= 200 && status < 300)) tally.accepted += 1;
    this.#note(request, { why, got: `${seen.join()} ${body.subarray(0, shownMax).toString()}` });
  }

  count(statuses: readonly number[], category: string): number {
    const known = this.byCategory.get(category)?.statuses;
    return statuses.reduce((sum, status) => sum + (known?.get(status) ?? 0), 0);
  }

  #objection(
    { expected, refuses }: NumberedRequest,
    seen: readonly number[],
    body: Buffer,
  ): string | undefined {
    const wrong = seen.find((status) => !expected.includes(status));
    if (wrong !== undefined) return `${wrong} is not among ${expected.join()}`;
    const [status = 0] = seen;
    if (status >= 200 && status < 300) {
      return refuses?.(body.toString()) === true ? undefined : 'was accepted';
    }
    return status > 0 && this.done % readEvery === 0 ? improper(body) : undefined;
  }

  #note(
    request: NumberedRequest,
    { why, got }: { readonly why: string; readonly got: string },
  ): void {
    this.findingCount += 1;
    const kind = `${request.category} ${why}`;
    const before = this.#kinds.get(kind) ?? 0;
    this.#kinds.set(kind, before + 1);
    if (before >= findingsPerKindMax) return;
    const sent = JSON.stringify(request.bytes.subarray(0, shownMax).toString('latin1'));
    this.findings.push({ id: request.id, category: request.category, why, sent, got });
  }

  #of(name: string): CategoryTally {
    const known = this.byCategory.get(name);
    if (known !== undefined) return known;
    const fresh = { tried: 0, accepted: 0, failed: 0, statuses: new Map<number, number>() };
    this.byCategory.set(name, fresh);
    return fresh;
  }
}

/** Every refusal of ours is JSON with `detail`, and shows nothing of the inside; S3's is XML. */
function improper(body: Buffer): string | undefined {
  const text = body.toString();
  if (text === '' || text.startsWith('<?xml')) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('detail' in parsed))
      return 'has no detail';
  } catch {
    return 'is no JSON';
  }
  // What was sent is shown to who sent it.
  const own = text.replaceAll(/"(input|msg)":("(?:[^"\\]|\\.)*"|[^,}]*)/g, '');
  return leak.test(own) ? 'shows the inside' : undefined;
}
