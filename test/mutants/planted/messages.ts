import type { Mutant } from '../mutant.ts';

const outbox = 'infra/postgres/migrations/0085_bounded_looks.up.sql';
const commit = 'infra/postgres/migrations/0031_commit_by_key.up.sql';

/** Outbox, inbox, and the broker in between that forgets and repeats. */
export const messageMutants: readonly Mutant[] = [
  {
    id: 'dedupe-by-sequence',
    breaks: 'A message is known by its place in the stream, so that a repeat is a new one.',
    signs: ['INV-46', 'INV-47'],
    // The simulated broker stands in the place of this file.
    shownBy: 'chaos',
    edits: [
      {
        file: 'infra/nats/consumer-loop.ts',
        snippet: `msgId: headers['x-msg-id'] ??`,
        replacement: 'msgId:',
      },
    ],
  },
  {
    id: 'dedupe-by-delivery',
    breaks: 'A message that comes again is another one.',
    signs: ['INV-46', 'INV-47'],
    edits: [
      {
        file: 'actors/runtime/inbox-consumer.ts',
        snippet: '    id: delivery.msgId,',
        replacement: `    id: delivery.msgId + ':' + delivery.deliveries,`,
      },
    ],
  },
  {
    id: 'inbox-skipped',
    breaks: 'What was consumed is not written down, so that a repeat is applied again.',
    signs: ['INV-46', 'INV-47', 'INV-49'],
    edits: [
      {
        file: commit,
        snippet: `part integer, consumer text, "msgId" text, reply jsonb);`,
        replacement: `part integer, consumer text, "msgId" text, reply jsonb)
  where false;`,
      },
    ],
  },
  {
    id: 'outbox-deleted-when-sent',
    breaks: 'A message leaves the outbox when it was sent, not when its receiver has it.',
    signs: ['INV-47', 'INV-30', 'INV-50'],
    edits: [
      {
        file: outbox,
        snippet: `    where o.ctid >= v_first and o.ctid < v_after
      and exists (
        select from rt.inbox i
        where i.kind = o.target_kind and i.part = o.target_part
          and i.consumer = o.target_consumer and i.msg_id = o.msg_id)`,
        replacement: `    where o.ctid >= v_first and o.ctid < v_after`,
      },
    ],
  },
  {
    id: 'sweeper-asleep',
    breaks: 'What the broker lost is never sent again.',
    signs: ['INV-47', 'INV-30', 'INV-50'],
    edits: [
      {
        file: 'actors/runtime/sweeper.ts',
        snippet: 'bus.connected && round < roundsMax; round += 1',
        replacement: 'bus.connected && round < 0; round += 1',
      },
    ],
  },
  {
    id: 'proofs-forgotten',
    breaks: 'What was consumed is known for a minute, and the streams hold it for days.',
    signs: ['INV-46'],
    // Machines know repeats by themselves; a race that was told of is told once more.
    days: 2,
    edits: [
      {
        file: 'actors/runtime/sweeper.ts',
        snippet: 'const keepProofsMs = 7 * 24 * 3_600_000;',
        replacement: 'const keepProofsMs = 60_000;',
      },
    ],
  },
  {
    id: 'proved-before-done',
    breaks: 'A fact is marked as consumed in a transaction of its own, before its effect.',
    signs: ['INV-50'],
    // What was marked and not done shows where the database goes away between the two.
    world: 'dry',
    edits: [
      {
        file: 'actors/services/projector/store.ts',
        snippet: '  const rows = facts.map(({ fact: { kind, part, msgId }, ...meaning }) => ({',
        replacement: `  const fresh: ProjectedFact[] = [];
  for (const each of facts) {
    const { kind, part, msgId } = each.fact;
    const [proof] = await sql<{ isNew: boolean }[]>\`
      select rt.consume(\${kind}, \${part}, 'projector', \${msgId}) as "isNew"\`;
    if (proof?.isNew === true) fresh.push(each);
  }
  const rows = fresh.map(({ fact: { kind, part, msgId }, ...meaning }) => ({`,
      },
      {
        file: 'infra/postgres/migrations/0027_project_facts.up.sql',
        snippet: `where rt.consume(f.kind, f.part, 'projector', f."msgId");`,
        replacement: `where rt.consume(f.kind, f.part, 'projector', f."msgId") or true;`,
      },
    ],
  },
];
