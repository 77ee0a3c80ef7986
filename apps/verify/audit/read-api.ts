import { z } from 'zod';
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
export async function auditRowsAt(url: string, token: string): Promise<readonly AuditRow[]> {
  const newestFirst: AuditRow[] = [];
  let offset = 0;
  for (;;) {
    const { total, entries } = await pageAt(`${url}/v1/admin/audit-log`, token, offset);
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

async function pageAt(address: string, token: string, offset: number): Promise<Page> {
  const body = await bodyAt(`${address}?limit=${pageEntries}&offset=${offset}`, token);
  const parsed = page.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new AuditUnreadable(`${address} shows no audit log: ${parsed.error.issues[0]?.message}`);
}

async function bodyAt(address: string, token: string): Promise<unknown> {
  let answer: Response;
  try {
    const headers = { authorization: `Bearer ${token}` };
    answer = await fetch(address, { headers, redirect: 'error' });
  } catch (cause) {
    throw new AuditUnreadable(`${address} cannot be read`, { cause });
  }
  if (!answer.ok) throw new AuditUnreadable(`${address} answers ${answer.status}`);
  return await answer.json().catch(() => undefined);
}

function rowOf(entry: Page['entries'][number]): AuditRow {
  const { prev_hash: prevHash, committed_at: committedAt, ...same } = entry;
  return { ...same, prevHash, committedAtMs: Date.parse(committedAt) };
}
