import type { Mutant } from '../mutant.ts';

/** Who holds a run, until when, and what silence means. */
export const leaseMutants: readonly Mutant[] = [
  {
    id: 'heartbeat-of-anybody',
    breaks: 'A heartbeat is taken from whoever sends it.',
    signs: ['INV-03'],
    seed: 29,
    edits: [
      {
        file: 'actors/lease-manager/heartbeat.ts',
        snippet: 'if (run.context.validatorHotkey !== validatorHotkey) return undefined;',
        replacement: '',
      },
    ],
  },
  {
    id: 'writes-of-anybody',
    breaks: 'Results, progress and release are taken from whoever sends them.',
    signs: ['INV-03', 'INV-20'],
    edits: [
      {
        file: 'machines/evaluation-run/decide.ts',
        snippet: `if (run.context.validatorHotkey !== caller.validatorHotkey) return notOwner();`,
        replacement: '',
      },
    ],
  },
  {
    id: 'completion-of-anybody',
    breaks: 'Whoever names a run may complete it.',
    signs: ['INV-03', 'INV-20'],
    edits: [
      {
        file: 'machines/evaluation-run/decide.ts',
        snippet: `if (run.context.validatorHotkey !== claim.validatorHotkey) return notOwner();`,
        replacement: '',
      },
    ],
  },
  {
    id: 'expiry-in-memory',
    breaks: 'Deadlines live in the memory of the one who made them; a takeover loses them.',
    signs: ['INV-07', 'INV-47', 'SIM'],
    edits: [
      {
        file: 'actors/lease-manager/partition-state.ts',
        snippet: 'this.deadlines.track(state, notBeforeMs);',
        replacement: '',
      },
    ],
  },
  {
    id: 'takeover-as-silence',
    breaks: 'A takeover gives no amnesty: beats that were not yet written never were.',
    signs: ['INV-06', 'INV-08'],
    edits: [
      {
        file: 'actors/runtime/partition-host.ts',
        snippet: 'amnestyUntilMs: (leaseMs) => nowMs + leaseMs + policy.leaseMs,',
        replacement: 'amnestyUntilMs: () => nowMs,',
      },
    ],
  },
  {
    id: 'outage-as-silence',
    breaks: 'The time in which the broker was away counts as silence of the validators.',
    signs: ['INV-06'],
    world: 'dark',
    edits: [
      {
        file: 'actors/runtime/partition-table.ts',
        snippet: 'for (const host of this.#hosts.values()) host.extendDeadlines(outageMs);',
        replacement: '',
      },
    ],
  },
  {
    id: 'dead-edge-as-silence',
    breaks:
      'The time in which an edge was dead counts as silence of the validators that spoke to it.',
    signs: ['INV-06'],
    world: 'deaf',
    edits: [
      {
        file: 'actors/runtime/edge-watch.ts',
        snippet: 'if (this.hasEdge && sinceMs < nowMs) this.#forgive(sinceMs, nowMs);',
        replacement: '',
      },
    ],
  },
  {
    id: 'lost-database-as-silence',
    breaks: 'The time in which the database was away counts as silence of the validators.',
    signs: ['INV-06'],
    world: 'dry',
    edits: [
      {
        file: 'actors/runtime/membership.ts',
        snippet: 'if (gapMs >= this.#lateMs) this.#options.onLateRenewal?.(gapMs);',
        replacement: '',
      },
    ],
  },
  {
    id: 'lease-cut-short',
    breaks: 'A run goes stale a second before the end that its validator was promised.',
    signs: ['INV-06', 'INV-08'],
    world: 'calm',
    edits: [
      {
        file: 'machines/evaluation-run/decide.ts',
        snippet: `if (nowMs >= deadlines.leaseUntilMs) return 'LEASE_EXPIRED';`,
        replacement: `if (nowMs >= deadlines.leaseUntilMs - 1000) return 'LEASE_EXPIRED';`,
      },
      {
        // Nobody looks before the first end.
        file: 'actors/lease-manager/deadlines.ts',
        snippet: 'return Math.min(leaseUntilMs, noProgressUntilMs, runLimitUntilMs);',
        replacement: 'return Math.min(leaseUntilMs - 1000, noProgressUntilMs, runLimitUntilMs);',
      },
    ],
  },
  {
    id: 'run-limit-cut-short',
    breaks: 'A run may take no longer than the lease of one heartbeat.',
    signs: ['INV-06'],
    edits: [
      {
        file: 'actors/lease-manager/deadlines.ts',
        snippet: 'runLimitUntilMs: context.claimedAt + this.#policy.runLimitMs,',
        replacement: 'runLimitUntilMs: context.claimedAt + this.#policy.leaseMs,',
      },
    ],
  },
  {
    id: 'progress-forgotten',
    breaks: 'The time without progress is counted from the claim, whatever progress there was.',
    signs: ['INV-06'],
    // Among faults a run is given more time by each new owner than the defect takes.
    world: 'calm',
    edits: [
      {
        file: 'actors/lease-manager/deadlines.ts',
        snippet: `const progressMs = sign === 'progress' ? nowMs + this.#policy.noProgressMs : 0;`,
        replacement: 'const progressMs = 0;',
      },
      {
        file: 'actors/lease-manager/deadlines.ts',
        snippet: 'noProgressUntilMs: context.progressAt + this.#policy.noProgressMs,',
        replacement: 'noProgressUntilMs: context.claimedAt + this.#policy.noProgressMs,',
      },
    ],
  },
  {
    id: 'runs-without-a-limit',
    breaks: 'Who tells of progress keeps a run for ever.',
    signs: ['INV-07'],
    world: 'calm',
    edits: [
      {
        file: 'actors/lease-manager/deadlines.ts',
        snippet: 'runLimitUntilMs: context.claimedAt + this.#policy.runLimitMs,',
        replacement: 'runLimitUntilMs: Number.POSITIVE_INFINITY,',
      },
    ],
  },
  {
    id: 'beats-as-progress',
    breaks: 'Who only beats keeps a run for as long as any may take.',
    signs: ['INV-07'],
    world: 'calm',
    seed: 11,
    edits: [
      {
        file: 'actors/lease-manager/deadlines.ts',
        snippet: 'noProgressUntilMs: context.progressAt + this.#policy.noProgressMs,',
        replacement: 'noProgressUntilMs: Number.POSITIVE_INFINITY,',
      },
    ],
  },
  {
    id: 'stale-flush',
    breaks: 'A flush that comes late moves the written end of a lease back.',
    signs: ['INV-08'],
    world: 'moving',
    edits: [
      {
        file: 'infra/postgres/migrations/0068_moved_limits.up.sql',
        snippet: 'lease_until = greatest(run_beat.lease_until, excluded.lease_until),',
        replacement: 'lease_until = excluded.lease_until,',
      },
    ],
  },
  {
    id: 'nobody-reclaims',
    breaks: 'The work of a silent validator is never offered again.',
    // The simulated clock stops where something is due, and goes on when it is done.
    signs: ['INV-07', 'INV-47', 'SIM'],
    edits: [
      {
        file: 'actors/lease-manager/expiry.ts',
        snippet: 'return over.length === 0 || this.#brake.holds(nowMs) ? [] : over;',
        replacement: 'return [];',
      },
    ],
  },
  {
    id: 'lost-claim-leaks',
    breaks:
      'A claim whose answer was lost is not answered again; the run waits for its lease to end.',
    signs: ['INV-09'],
    edits: [
      {
        file: 'apps/edge/routes/validator/claim-work.ts',
        snippet: `const untouched = live.find((run) => run.status === 'CLAIMED');`,
        replacement: 'const untouched = undefined as LiveRuns[number] | undefined;',
      },
    ],
  },
  {
    id: 'two-runs-of-one-validator',
    breaks: 'Two claims at once give a validator two runs.',
    signs: ['INV-09'],
    edits: [
      {
        file: 'actors/lease-manager/claim-work.ts',
        snippet: 'if (draft.state.heldSlots.has(slotKey(claim))) {',
        replacement: 'if (false) {',
      },
      {
        file: 'infra/postgres/migrations/0065_live_runs_by_key.up.sql',
        snippet:
          'create unique index evaluation_run_slot on evaluation_run (validator_hotkey, slot)',
        statement: 'drop index evaluation_run_slot',
      },
      {
        file: 'infra/postgres/migrations/0065_live_runs_by_key.up.sql',
        snippet: `on conflict (validator_hotkey, slot)
      where status in ('CLAIMED', 'RUNNING') and validator_hotkey is not null do nothing`,
        replacement: '',
      },
    ],
  },
];
