import { assign, setup } from 'xstate';
import type { MachineState, Model } from '../kernel.ts';
import { type WorkContext, type WorkFact, workContext } from './facts.ts';

const unopened: WorkContext = {
  workItemId: '',
  agentVersionId: '',
  suiteId: 0,
  phase: 'QUALIFYING',
  raceId: null,
  minerHotkey: '',
  minerColdkey: null,
  requiredSuccesses: 1,
  queuedAt: 0,
  nextFence: 1,
  live: [],
  included: [],
  releasedBy: [],
  troubles: 0,
  holdUntil: null,
  holdReason: null,
  isMinerBanned: false,
  closedAt: null,
  closeReason: null,
  rejudges: null,
  verdict: null,
};

const types: { context: WorkContext; events: WorkFact } = {
  context: unopened,
  events: { type: 'MINER_BANNED' },
};

const reopened = { target: 'open', actions: 'reopen' } as const;

/** Validators that had a run of it which came to nothing, however it ended: it is offered to them last. */
export function hadInVain({ releasedBy }: Pick<WorkContext, 'releasedBy'>): readonly string[] {
  return releasedBy;
}

/** Enough to put a validator last; the list must not grow with every repeat. */
const hadInVainMax = 32;

/**
 * An agent version to be evaluated by `requiredSuccesses` validators.
 *
 * 1. Live runs + included successes never exceed the required successes.
 * 2. It is closed exactly while the included successes are the required ones; only a recorded
 *    exclusion opens it again.
 * 3. Cancelled work is opened again only when its version's discard is taken back.
 * 4. Work that judges a success again includes nothing: it ends with a verdict, which is applied by
 *    replacing that success in its own work.
 */
const machine = setup({
  types,
  actions: {
    endLease: assign(({ context, event }) => {
      if (event.type !== 'LEASE_ENDED') return {};
      const { releasedBy: last } = event;
      return {
        live: context.live.filter(({ evalRunId }) => evalRunId !== event.evalRunId),
        troubles: context.troubles + (event.isTrouble ? 1 : 0),
        releasedBy:
          last === null
            ? context.releasedBy
            : [...hadInVain(context).filter((each) => each !== last), last].slice(-hadInVainMax),
      };
    }),
    reopen: assign({ closedAt: null, closeReason: null }),
    replace: assign(({ context, event }) =>
      event.type === 'SUCCESS_REPLACED'
        ? {
            nextFence: event.fence + 1,
            included: context.included.map((each) =>
              each.evalRunId === event.evalRunId ? event.by : each,
            ),
          }
        : {},
    ),
    exclude: assign(({ context, event }) =>
      event.type === 'SUCCESS_EXCLUDED'
        ? { included: context.included.filter(({ evalRunId }) => evalRunId !== event.evalRunId) }
        : {},
    ),
  },
}).createMachine({
  id: 'work-item',
  context: unopened,
  initial: 'unopened',
  states: {
    unopened: {
      on: {
        OPENED: {
          target: 'open',
          actions: assign(({ event }) => ({ ...event.work, rejudges: event.rejudges ?? null })),
        },
      },
    },
    open: {
      on: {
        LEASED: {
          actions: assign(({ context, event }) => ({
            nextFence: event.fence + 1,
            live: [
              ...context.live,
              { evalRunId: event.evalRunId, validatorHotkey: event.validatorHotkey },
            ],
          })),
        },
        LEASE_ENDED: { actions: 'endLease' },
        SUCCESS_INCLUDED: {
          actions: assign(({ context, event }) => ({
            live: context.live.filter(({ evalRunId }) => evalRunId !== event.evalRunId),
            included: [
              ...context.included,
              {
                evalRunId: event.evalRunId,
                validatorHotkey: event.validatorHotkey,
                scoreMicro: event.scoreMicro,
              },
            ],
          })),
        },
        SUCCESS_EXCLUDED: { actions: 'exclude' },
        SUCCESS_REPLACED: { actions: 'replace' },
        VERDICT_REACHED: {
          target: 'judged',
          actions: assign(({ context, event }) => ({
            live: context.live.filter(({ evalRunId }) => evalRunId !== event.verdict.evalRunId),
            verdict: event.verdict,
            closedAt: event.at,
            closeReason: 'JUDGED',
            holdUntil: null,
            holdReason: null,
          })),
        },
        HELD: {
          actions: assign(({ event }) => ({ holdUntil: event.until, holdReason: event.reason })),
        },
        MINER_BANNED: { actions: assign({ isMinerBanned: true }) },
        MINER_UNBANNED: { actions: assign({ isMinerBanned: false }) },
        CLOSED: {
          target: 'closed',
          actions: assign(({ event }) => ({
            closedAt: event.at,
            closeReason: 'REQUIRED_SUCCESSES',
            holdUntil: null,
            holdReason: null,
          })),
        },
        WORK_CANCELLED: {
          target: 'cancelled',
          actions: assign(({ event }) => ({
            closedAt: event.at,
            closeReason: event.reason,
            holdUntil: null,
            holdReason: null,
          })),
        },
      },
    },
    closed: {
      on: {
        LEASE_ENDED: { actions: 'endLease' },
        SUCCESS_EXCLUDED: { actions: 'exclude' },
        SUCCESS_REPLACED: { actions: 'replace' },
        REOPENED: reopened,
      },
    },
    judged: {
      on: {
        VERDICT_APPLIED: { target: 'applied', actions: assign({ closeReason: 'APPLIED' }) },
        VERDICT_DROPPED: {
          target: 'cancelled',
          actions: assign(({ event }) => ({ closeReason: event.reason })),
        },
      },
    },
    applied: { type: 'final' },
    cancelled: {
      on: {
        LEASE_ENDED: { actions: 'endLease' },
        SUCCESS_EXCLUDED: { actions: 'exclude' },
        REOPENED: reopened,
      },
    },
  },
});

export const workItem: Model<WorkContext, WorkFact> = {
  name: 'work-item',
  version: 2,
  machine,
  context: workContext,
  upcasts: {
    1: ({ value, context }) => ({
      value,
      context: { ...(context as object), rejudges: null, verdict: null },
    }),
  },
  openValues: ['open'],
};

export type WorkState = MachineState<WorkContext>;
