import type { RaceBundle } from '../../machines/race/bundle.ts';
import type { Comparison } from './difference.ts';
import { nearMs } from './live/checks/check.ts';
import { longestDayHours } from './live/checks/daily-close.ts';
import { instantOf } from './race-page.ts';
import { readStatus } from './version-status.ts';
import type { Service } from './whole-answer.ts';

type Race = RaceBundle['race'];

/**
 * A race goes forward only, whoever makes its steps and however early operators close it: with an instant out of
 * this order anybody could have been too late to race. Owners whose clocks differ may have made two steps.
 */
export function compareTimes({ race, top_before: top }: RaceBundle, to: Comparison): void {
  const said = [race.opened_at, race.closed_at, race.started_at, race.completed_at];
  let latestMs = race.opened_at;
  const computed = said.map((ms) => {
    latestMs = Math.max(latestMs, ms);
    return ms < latestMs - nearMs ? latestMs : ms;
  });
  const name = 'opening, close, start and end, in this order';
  to.same(name, said.map(instantOf), computed.map(instantOf));
  comparePlan(race, to);
  if (top === null) return;
  const since = 'top before, since when, by the end of the race';
  to.same(since, instantOf(top.top_at), instantOf(Math.min(top.top_at, race.completed_at)));
}

/** Each race is planned to close at the first daily close after its opening. */
function comparePlan(
  { opened_at: openedMs, qualifying_closes_at: closesMs }: Race,
  to: Comparison,
) {
  const lastMs = openedMs + longestDayHours * 3_600_000;
  const computed = Math.min(Math.max(closesMs, openedMs), lastMs);
  to.same('planned close, within a day of the opening', instantOf(closesMs), instantOf(computed));
}

/** The race's page leaves out when it closed; whoever was in the field entered it then, as its status says. */
export async function compareClose(
  service: Service,
  { race, entrants }: RaceBundle,
  to: Comparison,
) {
  const id = race.winner_agent_version_id ?? entrants[0]?.agent_version_id;
  if (id === undefined) return;
  const { timeline } = await readStatus(service, id);
  const entered = timeline.find(
    ({ event, detail }) =>
      event === 'race_entered' && detail?.startsWith(`race ${race.race_number} as `) === true,
  );
  const name = `close, when version ${id} entered the race`;
  to.published(name, instantOf(race.closed_at), entered?.at);
}
