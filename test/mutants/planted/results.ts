import type { Mutant } from '../mutant.ts';

/** Each edge has connections, and so copies, of its own; they age by the database's clock. */
const copiesOfRuns = {
  file: 'apps/edge/reads/runs.ts',
  snippet: 'export interface RunDetailRow extends RunRow {',
  replacement: `const copies = new WeakMap();
function copyOf(sql, row, ageMsMax) {
  const own = copies.get(sql) ?? new Map();
  copies.set(sql, own);
  const kept = own.get(row?.evalRunId);
  if (kept !== undefined && row.nowMs - kept.nowMs <= ageMsMax) return kept;
  own.set(row?.evalRunId, row);
  return row;
}
export interface RunDetailRow extends RunRow {`,
} as const;

/** What validators tell of their runs, and what they are told. */
export const resultMutants: readonly Mutant[] = [
  {
    id: 'completed-again',
    breaks: 'A run that is over is completed again, with another body.',
    signs: ['INV-04'],
    edits: [
      {
        file: 'machines/evaluation-run/decide.ts',
        snippet: 'if (completion.digest !== claim.digest) return alreadyComplete();',
        replacement: '',
      },
    ],
  },
  {
    id: 'results-after-the-end',
    breaks: 'Results of a run that is over are acknowledged.',
    signs: ['INV-03', 'INV-17', 'INV-18'],
    edits: [
      {
        file: 'actors/lease-manager/append-results.ts',
        snippet: 'status: isForeign ? 404 : 422,',
        replacement: 'status: isForeign ? 404 : 201,',
      },
    ],
  },
  {
    id: 'results-forgotten',
    breaks: 'A batch of results replaces what earlier batches added up to.',
    signs: ['INV-15', 'INV-17', 'INV-21'],
    edits: [
      {
        file: 'machines/evaluation-run/machine.ts',
        snippet: 'items: left.items + right.items,',
        replacement: 'items: right.items,',
      },
    ],
  },
  {
    id: 'answers-misordered',
    breaks: 'The answers to a batch do not stand in the order of its items.',
    signs: ['INV-17', 'INV-19'],
    edits: [
      {
        file: 'apps/edge/evaluation/episode-batch.ts',
        snippet: 'const result = results[at];',
        replacement: 'const result = results.toReversed()[at];',
      },
    ],
  },
  {
    id: 'result-stored-twice',
    breaks: 'What is stored of a run is not remembered by the next batch.',
    signs: ['INV-18', 'SIM'],
    edits: [
      {
        file: 'actors/lease-manager/append-results.ts',
        snippet: `if (places.length > 0) draft.setLedger(evalRunId, { ...ledger, taskIds: storedTaskIds });`,
        replacement: '',
      },
    ],
  },
  {
    id: 'count-from-a-copy',
    breaks: 'How many results a run has is told from a copy that each edge keeps for a second.',
    signs: ['INV-21'],
    edits: [
      copiesOfRuns,
      {
        file: 'apps/edge/reads/runs.ts',
        snippet: `    where r.eval_run_id = \${evalRunId}\`;
  return row;`,
        replacement: `    where r.eval_run_id = \${evalRunId}\`;
  const copy = copyOf(sql, row, 950);
  return row && { ...row, storedItems: copy.storedItems };`,
      },
    ],
  },
  {
    id: 'run-from-a-copy',
    breaks: 'How a run stands is told as each edge read it first.',
    signs: ['INV-50'],
    edits: [
      copiesOfRuns,
      {
        file: 'apps/edge/reads/runs.ts',
        snippet: `    where r.eval_run_id = \${evalRunId}\`;
  return row;`,
        replacement: `    where r.eval_run_id = \${evalRunId}\`;
  const copy = copyOf(sql, row, Infinity);
  return row && { ...row, status: copy.status };`,
      },
    ],
  },
  {
    id: 'score-rounded-down',
    breaks: 'The mean of the rewards of a run is cut off instead of rounded.',
    signs: ['INV-15'],
    edits: [
      {
        file: 'machines/scoring/run-score.ts',
        snippet: 'Number(divideHalfEven(BigInt(rewardSumMicro), BigInt(rosterSize)));',
        replacement: 'Number(BigInt(rewardSumMicro) / BigInt(rosterSize));',
      },
    ],
  },
];
