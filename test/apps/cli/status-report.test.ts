import test from 'ava';
import type { AgentVersionStatus } from '../../../apps/cli/client/schemas.generated.ts';
import { endOf, standLines } from '../../../apps/cli/status-report.ts';

const nothingOpen: AgentVersionStatus['waiting'] = {
  ...{ phase: null, position: null, reason: null },
  ...{ expected_start_at: null, expected_finish_at: null },
};

const eligible = {
  ...{ state: 'ELIGIBLE', submitted_at: '2026-11-24T20:00:00.000Z', qualifying_score: 0.7 },
  ...{ final_score: 0.7, eliminated_at: null, eliminated_in_race_number: null },
  ...{
    is_miner_banned: false,
    is_active_qualifier: true,
    pin_disabled_reason: null,
    selection_fallback_reason: null,
  },
  ...{ discard_reason: null, included_success_count: 2, required_successes: 2 },
  ...{ live_run_count: 0, failed_run_count: 0, stale_run_count: 0, consecutive_agent_failures: 0 },
  waiting: nothingOpen,
  timeline: [] as AgentVersionStatus['timeline'],
};

function told(name: string, changes: Partial<AgentVersionStatus>): string | undefined {
  const status = { ...eligible, ...changes } as AgentVersionStatus;
  return standLines(status, 0).find(([each]) => each === name)?.[1];
}

const open = { ...nothingOpen, reason: '2 work items are handed out before it.', position: 3 };

test('a version whose race runs waits for its end, not for runs of qualifying', (t) => {
  const racing = { waiting: { ...open, phase: 'RACE' as const } };
  t.is(told('where', racing), 'in a race, waiting, at position 3 of the queue');
  const next = 'Its race score and rank are told when the race is over: paddock race --watch';
  t.is(told('next', racing), next);
  const live = { waiting: { ...racing.waiting, position: null }, live_run_count: 1 };
  t.is(told('where', live), 'in a race, being evaluated: 1 run in progress');
});

test('an entrant whose work is done waits for the end of its race, and so does who watches it', (t) => {
  const at = '2026-11-25T20:00:00.000Z';
  const entered = { at, event: 'race_entered', detail: 'race 3 as PINNED' };
  const done: Partial<AgentVersionStatus> = { timeline: [entered] };
  t.is(told('where', done), 'in a race that is not over yet');
  const next = 'Its race score and rank are told when the race is over: paddock race --watch';
  t.is(told('next', done), next);
  t.is(endOf({ ...eligible, ...done } as AgentVersionStatus), undefined);
  const over: Partial<AgentVersionStatus> = {
    timeline: [entered, { at, event: 'race_completed', detail: 'race 3: rank 1' }],
  };
  t.is(told('where', over), 'evaluated');
  t.is(endOf({ ...eligible, ...over } as AgentVersionStatus), 'well');
});

test('a version whose qualifying was opened again says how many runs it lacks', (t) => {
  const reopened = {
    waiting: { ...open, phase: 'QUALIFYING' as const },
    included_success_count: 1,
  };
  t.is(told('next', reopened), '1 run of 2 still to succeed, no time can be told yet');
  t.is(told('where', reopened), 'waiting, at position 3 of the queue');
  t.is(told('where', {}), 'evaluated');
});

test('a version of a banned miner does not look as if it could race', (t) => {
  const banned = { is_miner_banned: true, is_active_qualifier: false };
  t.is(told('why', banned), 'its miner is banned: no version of it is evaluated or races');
  t.is(told('next', banned), 'Nothing, unless an operator takes the ban back.');
  const status = { ...eligible, ...banned } as AgentVersionStatus;
  t.is(endOf(status), 'badly');
  t.is(endOf({ ...status, state: 'QUEUED', waiting: open }), 'badly', 'nothing happens by itself');
  t.is(told('why', {}), undefined);
});
