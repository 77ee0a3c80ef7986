import test from 'ava';
import { Unanswered } from '../../../apps/cli/client/refusal.ts';
import { answeredLine } from '../../support/answered-line.ts';

const id = '019a0000-0000-7000-8000-000000000001';
const version = {
  ...{ version_number: 1, state: 'ELIGIBLE', final_score: 0.7, agent_version_id: id },
  ...{ submitted_at: '2026-11-24T20:00:00.000Z', eliminated_in_race_number: null },
  ...{ is_selected_for_race: true, selection_fallback_reason: null },
  ...{ is_pinnable: true, pin_disabled_reason: null },
};
const listing = {
  agents: [{ agent_name: 'mine', agent_id: id, latest_version: version }],
  ...{ can_submit: true, next_allowed_at: null },
  ...{ racing_agent_version_id: id, racing_agent_id: id },
};
const answers = { getMinerAgents: listing, getMinerAgentsVersions: [version] };

test('what races is not put off to the next race: the one of today may run', async (t) => {
  for (const args of [['agents'], ['agents', 'mine']]) {
    const { out } = await answeredLine(answers, ...args);
    t.regex(out, / ELIGIBLE +0\.7 .+ yes +yes +019a/, args.join(' '));
  }
});

test('a name that is mistyped is told as one, before the service is asked', async (t) => {
  const { code, error } = await answeredLine({ getMinerAgents: listing }, 'agents', 'mnie');

  t.is(code, 4);
  t.is(
    error,
    'paddock: "mnie" is no id, and you have no agent of that name\n' +
      'See your agents and the ids of their versions with: paddock agents\n',
  );
});

test('which version races in the place of the latest one stands under its agent', async (t) => {
  const [first, second] = [1, 2].map((number) => ({
    ...{ ...version, version_number: number, is_selected_for_race: number === 1 },
    agent_version_id: `019a0000-0000-7000-8000-00000000000${number}`,
  }));
  const other = '019a0000-0000-7000-8000-00000000000a';
  const mixed = {
    ...listing,
    agents: [
      { agent_name: 'mine', agent_id: id, latest_version: second },
      { agent_name: 'other', agent_id: other, latest_version: { ...second, version_number: 7 } },
    ],
  };
  const asked = { getMinerAgents: mixed, getMinerAgentsVersions: [second, first] };
  const [, mine, under, others, end] = (await answeredLine(asked, 'agents')).out.split('\n');

  t.regex(mine ?? '', /^mine +2 .+ no +yes /);
  t.is(under, `  version 1 races in its place: ${first?.agent_version_id}`);
  t.regex(others ?? '', /^other +7 .+ no +yes /);
  t.is(end, '');
});

test('agents are listed also where the number of what races in the place of one is not told', async (t) => {
  const racing = '019a0000-0000-7000-8000-000000000002';
  const asked = {
    getMinerAgents: { ...listing, racing_agent_version_id: racing, racing_agent_id: id },
    getMinerAgentsVersions: new Unanswered('no answer'),
  };
  const { code, out } = await answeredLine(asked, 'agents');

  t.is(code, 0);
  t.true(out.includes(`  an earlier one races in its place: ${racing}\n`), out);
});

test('where nothing races, or the latest one, nothing else is said to', async (t) => {
  const nothing = { ...listing, racing_agent_version_id: null, racing_agent_id: null };
  for (const getMinerAgents of [listing, nothing]) {
    const { code, out } = await answeredLine({ getMinerAgents }, 'agents');
    t.is(code, 0);
    t.false(out.includes('races in its place'), out);
  }
});
