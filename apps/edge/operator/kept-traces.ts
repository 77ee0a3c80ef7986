import { z } from 'zod';
import type { Config } from '../../../infra/config/config.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { EdgeDeps } from '../deps.ts';
import { TimeLimit } from '../inference/time-limit.ts';
import { trace, traceSummary } from '../wire/trace.ts';

const page = z.object({ total: z.number().int(), traces: z.array(traceSummary) });

type Asking = Pick<EdgeDeps, 'clock' | 'config'>;
type Search = Readonly<Record<string, string | number | undefined>>;

/** Whoever keeps them is on this machine: what takes longer will not come. */
const patienceMs = 2_000;

/** The last traces that fit; undefined where none are kept here. */
export async function searchTraces(
  by: Asking,
  search: Search,
): Promise<z.output<typeof page> | undefined> {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const said = await ask(by, `/traces?${query}`);
  return said === undefined ? undefined : page.parse(said);
}

/** One of them, with all its spans; undefined where it is not kept, or not any more. */
export async function findTrace(
  by: Asking,
  traceId: string,
): Promise<z.output<typeof trace> | undefined> {
  const said = await ask(by, `/traces/${traceId}`);
  return said === undefined ? undefined : trace.parse(said);
}

/** Where the spans of this process go, without what may be a secret of the address. */
export function spansGoTo({ otelExporterOtlpEndpoint: url }: Config): string | null {
  return url === undefined ? null : new URL(url).origin;
}

async function ask({ clock, config }: Asking, target: string): Promise<unknown> {
  if (config.tracesUrl === undefined) return undefined;
  const limit = new TimeLimit(clock);
  limit.start(patienceMs);
  try {
    const answer = await fetch(`${config.tracesUrl}${target}`, { signal: limit.signal });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(`the store of traces says ${answer.status}`);
    return await answer.json();
  } catch {
    const detail = 'Whoever keeps the traces cannot be reached right now.';
    throw refusal('TRACES_UNAVAILABLE', { says: detail, extras: { retry_after_seconds: 2 } });
  } finally {
    limit.end();
  }
}
