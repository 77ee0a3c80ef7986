import { z } from 'zod';
import { type Asked, type Service, wholeAnswer } from '../whole-answer.ts';
import { AuditUnreadable } from './audit-unreadable.ts';
import type { AuditRow } from './chain.ts';

const pageEntries = 500;

const page = z.object({
  total: z.number(),
  entries: z.array(
    z.object({
      seq: z.number(),
      actor: z.string(),
      action: z.string(),
      object: z.string(),
      reason: z.string().nullable(),
      detail: z.record(z.string(), z.unknown()),
      prev_hash: z.string(),
      hash: z.string(),
      committed_at: z.string(),
    }),
  ),
});

type Page = z.infer<typeof page>;

/** Every entry as the operator API shows it, in the order of the numbers. */
export async function auditRowsAt(
  { url, clock }: Service,
  token: string,
): Promise<readonly AuditRow[]> {
  const newestFirst: AuditRow[] = [];
  let offset = 0;
  for (;;) {
    const { total, entries } = await pageAt({ url, clock }, token, offset);
    const lowest = newestFirst.at(-1)?.seq ?? Infinity;
    // Pages are counted from the newest entry, and one may have come since the last page.
    newestFirst.push(...entries.filter(({ seq }) => seq < lowest).map(rowOf));
    const reached = newestFirst.at(-1)?.seq ?? 0;
    const next = total - reached + 1;
    if (entries.length === 0 || reached <= 1 || next <= offset) break;
    offset = next;
  }
  return newestFirst.toReversed();
}

async function pageAt({ url, clock }: Service, token: string, offset: number): Promise<Page> {
  const address = `${url}/v1/admin/audit-log`;
  const init = { headers: { authorization: `Bearer ${token}` }, redirect: 'error' } as const;
  const query = `limit=${pageEntries}&offset=${offset}`;
  const body = await bodyAt({ address: `${address}?${query}`, clock, init });
  const parsed = page.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new AuditUnreadable(`${address} shows no audit log: ${parsed.error.issues[0]?.message}`);
}

async function bodyAt(asked: Asked): Promise<unknown> {
  const { address } = asked;
  const { answer, body } = await wholeAnswer(asked).catch((cause: unknown) => {
    throw new AuditUnreadable(`${address} cannot be read`, { cause });
  });
  if (!answer.ok) throw new AuditUnreadable(`${address} answers ${answer.status}`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function rowOf(entry: Page['entries'][number]): AuditRow {
  const { prev_hash: prevHash, committed_at: committedAt, ...same } = entry;
  return { ...same, prevHash, committedAtMs: Date.parse(committedAt) };
}
