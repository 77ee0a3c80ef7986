import type { Mutant } from '../mutant.ts';

const claim = 'infra/postgres/migrations/0004_commit.up.sql';
const commit = 'infra/postgres/migrations/0031_commit_by_key.up.sql';

/** The commit, its fence, and what memory may say of it. */
export const runtimeMutants: readonly Mutant[] = [
  {
    id: 'reply-before-commit',
    breaks: 'Answers leave before the commit that makes them true.',
    signs: ['INV-09', 'INV-17', 'INV-04', 'INV-23'],
    seed: 2,
    edits: [
      {
        file: 'actors/runtime/batch-runner.ts',
        snippet: 'const batch = commitBatch(token, writing, this.#deps.sweepAfterMs);',
        replacement: `for (const { letter, decision } of decided) {
      for (const answer of letter.answers) answer(decision.reply as WireReply);
    }
    const batch = commitBatch(token, writing, this.#deps.sweepAfterMs);`,
      },
    ],
  },
  {
    id: 'fence-unchecked',
    breaks: 'A commit does not ask whether the partition still belongs to whoever sends it.',
    signs: ['INV-17', 'INV-48', 'INV-49'],
    world: 'frozen',
    edits: [
      {
        file: commit,
        snippet: 'on r.part = o.part and r.epoch = o.epoch and r.incarnation = o.incarnation',
        replacement: 'on r.part = o.part',
      },
    ],
  },
  {
    id: 'epoch-not-bumped',
    breaks: 'A partition changes hands under the epoch of its former owner.',
    signs: ['INV-48'],
    edits: [
      {
        file: claim,
        snippet: 'set epoch = v_row.epoch + 1, owner = p_member, incarnation = p_incarnation',
        replacement: 'set owner = p_member, incarnation = p_incarnation',
      },
      {
        file: claim,
        snippet: 'return query select v_row.epoch + 1, rt.clock();',
        replacement: 'return query select v_row.epoch, rt.clock();',
      },
    ],
  },
  {
    id: 'lease-by-transaction-start',
    breaks: 'The clock is read as of the start of the transaction, before it waited for a lock.',
    signs: ['INV-03'],
    world: 'calm',
    edits: [
      {
        file: commit,
        snippet: `  v_now := rt.clock();
  v_at := floor(`,
        replacement: `  v_now := now();
  v_at := floor(`,
      },
    ],
  },
  {
    id: 'valid-until-dropped',
    breaks: 'What was decided under a lease may be committed after its end.',
    signs: ['INV-03'],
    world: 'calm',
    edits: [
      {
        file: 'actors/runtime/commit-batch.ts',
        snippet: 'validUntilMs: limits.length === 0 ? undefined : Math.min(...limits),',
        replacement: 'validUntilMs: undefined,',
      },
    ],
  },
  {
    id: 'event-not-kept',
    breaks: 'A snapshot is written without one of the events that made it.',
    signs: ['INV-49', 'SIM'],
    edits: [
      {
        file: 'actors/lease-manager/draft.ts',
        snippet: 'this.#events.push({ ...event, typeVersion: model.version, payload });',
        replacement: `if (type !== 'STARTED') this.#events.push({ ...event, typeVersion: model.version, payload });`,
      },
    ],
  },
  {
    id: 'snapshot-lags',
    breaks: 'Of two changes in one batch the snapshot keeps the first.',
    signs: ['INV-49', 'SIM'],
    // Whoever goes on from what another left at a commit reads the snapshot again.
    world: 'frozen',
    edits: [
      {
        file: 'actors/runtime/commit-batch.ts',
        snippet: 'if (other === undefined || other.seq <= snapshot.seq) byKey.set(id, snapshot);',
        replacement: 'if (other === undefined) byKey.set(id, snapshot);',
      },
    ],
  },
  {
    id: 'doubtful-commit-sent-again',
    breaks: 'A commit whose answer was lost is sent again from the same memory.',
    signs: ['INV-09', 'INV-17', 'INV-46', 'INV-49', 'INV-50'],
    days: 3,
    seed: 37,
    edits: [
      {
        file: 'actors/runtime/batch-runner.ts',
        snippet: `if (outcome.kind === 'ambiguous' || this.#isFirstDivergence(outcome)) {`,
        replacement: `if (outcome.kind === 'ambiguous') {
      actor.rollback();
      return undefined;
    }
    if (this.#isFirstDivergence(outcome)) {`,
      },
    ],
  },
];
