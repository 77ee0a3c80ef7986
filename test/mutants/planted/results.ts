import type { Mutant } from '../mutant.ts';

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
        file: 'actors/lease-manager/append-results.ts',
        snippet: 'return accepted({ items }, held.leaseUntilMs);',
        replacement: 'return accepted({ items: items.toReversed() }, held.leaseUntilMs);',
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
        snippet: `if (stored.length > 0) draft.setLedger(request.evalRunId, { ...ledger, taskIds: storedTaskIds });`,
        replacement: '',
      },
    ],
  },
];
