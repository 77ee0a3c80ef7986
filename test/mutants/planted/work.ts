import type { Mutant } from '../mutant.ts';

/** Work items, their fences, their closing, and whom they are given to. */
export const workMutants: readonly Mutant[] = [
  {
    id: 'closed-too-late',
    breaks: 'Work stays open with all of its successes.',
    signs: ['INV-11'],
    edits: [
      {
        file: 'machines/work-item/decide.ts',
        snippet: 'item.context.included.length + 1 === item.context.requiredSuccesses;',
        replacement: 'item.context.included.length === item.context.requiredSuccesses;',
      },
    ],
  },
  {
    id: 'closed-too-early',
    breaks: 'Work closes one success below those that it needs.',
    signs: ['INV-11'],
    edits: [
      {
        file: 'machines/work-item/decide.ts',
        snippet: 'item.context.included.length + 1 === item.context.requiredSuccesses;',
        replacement: 'item.context.included.length + 2 >= item.context.requiredSuccesses;',
      },
    ],
  },
  {
    id: 'one-lease-too-many',
    breaks: 'Work is leased once more than it needs.',
    signs: ['INV-01'],
    edits: [
      {
        file: 'machines/work-item/decide.ts',
        snippet: 'work.live.length + work.included.length < work.requiredSuccesses &&',
        replacement: 'work.live.length + work.included.length <= work.requiredSuccesses &&',
      },
      {
        file: 'actors/runtime/offers.ts',
        snippet: '.included_success_count < ',
        replacement: '.included_success_count <= ',
      },
      {
        file: 'infra/postgres/migrations/0002_domain.up.sql',
        snippet: `check (state <> 'OPEN' or live_count + included_success_count <= required_successes)`,
        statement: 'alter table work_item drop constraint work_item_check1',
      },
    ],
  },
  {
    id: 'same-validator-again',
    breaks: 'A validator is given work that it has succeeded with already.',
    signs: ['INV-01', 'INV-10'],
    edits: [
      {
        file: 'machines/work-item/decide.ts',
        snippet: '![...work.live, ...work.included].some(',
        replacement: '!work.live.some(',
      },
      {
        file: 'actors/runtime/offers.ts',
        snippet: 'r.is_included limit 1) is null',
        replacement: 'false limit 1) is null',
      },
    ],
  },
  {
    id: 'fence-reused',
    breaks: 'A run gets the fence of the one before it.',
    signs: ['INV-02'],
    edits: [
      {
        file: 'machines/work-item/machine.ts',
        snippet: `nextFence: event.fence + 1,
            live: [`,
        replacement: `nextFence: event.fence,
            live: [`,
      },
      {
        file: 'infra/postgres/migrations/0002_domain.up.sql',
        snippet: 'unique (work_item_id, fence)',
        statement: `alter table evaluation_run
          drop constraint evaluation_run_work_item_id_fence_key`,
      },
    ],
  },
  {
    id: 'eligible-with-each-success',
    breaks: 'Every success is told that it made its version eligible.',
    signs: ['INV-13'],
    edits: [
      {
        file: 'actors/lease-manager/complete-run.ts',
        snippet:
          'const becameEligible = !wasEligible && eligibleAt(draft, agentVersionId) !== null;',
        replacement: `const becameEligible = wasEligible || outcome.kind === 'success';`,
      },
    ],
  },
  {
    id: 'score-without-the-first',
    breaks: 'The score of a version leaves out the run that was included first.',
    signs: ['INV-14'],
    edits: [
      {
        file: 'actors/lease-manager/end-run.ts',
        snippet: 'aggregateScore(context.included.map(({ scoreMicro }) => scoreMicro))',
        replacement:
          'aggregateScore(context.included.slice(-1).map(({ scoreMicro }) => scoreMicro))',
      },
    ],
  },
  {
    id: 'cooldown-ignored',
    breaks: 'A miner that is told when it may submit again is let in before.',
    // Two at once by two edges: the look of one edge refuses the second by itself.
    seed: 19,
    signs: ['INV-22'],
    edits: [
      {
        file: 'infra/postgres/migrations/0029_joint_commits.up.sql',
        snippet: 'if v_miner.next_allowed_at > v_new.submitted_at then',
        replacement: 'if false then',
      },
    ],
  },
  {
    id: 'cooldown-not-counted',
    breaks: 'A submission is admitted without a time until the next one.',
    signs: ['INV-22'],
    edits: [
      {
        file: 'actors/lease-manager/submit-version.ts',
        snippet: 'draft.nowMs + draft.policy.cooldownMs;',
        replacement: 'draft.nowMs;',
      },
    ],
  },
  {
    id: 'cooldown-of-an-hour',
    breaks: 'Every miner may submit again after an hour, as after a discard.',
    signs: ['INV-22'],
    edits: [
      {
        file: 'actors/lease-manager/submit-version.ts',
        snippet: 'draft.nowMs + draft.policy.cooldownMs;',
        replacement: 'draft.nowMs + draft.policy.discardCooldownMs;',
      },
    ],
  },
  {
    id: 'cooldown-forgiven-to-cheats',
    breaks: 'A miner whose version broke the rules may submit again as soon as one whose failed.',
    signs: ['INV-22'],
    edits: [
      {
        file: 'actors/lease-manager/complete-run.ts',
        snippet: "if (discardReason === 'AGENT_FAILURES')",
        replacement: "if (discardReason === 'AGENT_FAILURES' || discardReason === 'INTEGRITY')",
      },
    ],
  },
];
