import { z } from 'zod';
import { verify } from '../../verify/verify.ts';
import { minerName } from '../demo/names.ts';
import type { ParticipantEvent } from '../participants/participant-event.ts';
import { refusalOf } from '../participants/refusal.ts';
import { clientOf, withValidators } from './crew.ts';
import { agentOfDay } from './daily-agents.ts';
import type { DaysOptions } from './play-days.ts';
import {
  currentRace,
  type RaceAnswer,
  type RaceDetails,
  raceDetails,
  standingsAnswer,
  topAnswer,
  varianceAnswer,
} from './race-answers.ts';
import {
  agentOf,
  fixed,
  type Names,
  nameOf,
  sayField,
  sayResult,
  sayStandings,
} from './say-race.ts';
import { versionOfDay } from './version-of-day.ts';

const versionStatus = z.object({ state: z.string() });
const verdicts: ReadonlySet<string> = new Set(['ELIGIBLE', 'DISCARDED', 'CANCELLED']);
const over: ReadonlySet<string> = new Set(['RACE_COMPLETE', 'RACE_CANCELLED']);
const pollMs = 100;
const patienceMs = 120_000;
const hourMs = 3_600_000;
const embargoMs = 6 * hourMs + 1_000;
/** Miners send their files this long before qualifying closes. */
const submittedBeforeMs = 6 * hourMs;

/** One whole race day, from the submissions to the standings; what came of it. */
export async function playDay(
  options: DaysOptions,
  { day, before }: { readonly day: number; readonly before: RaceDetails | undefined },
  names: Names,
): Promise<RaceDetails> {
  const { terminal, time } = options;
  const race = await openRace(options);
  const closesAt = Date.parse(race.qualifying_closes_at);
  terminal.line();
  const title = `Race day ${day + 1}: race ${race.race_number}`;
  terminal.line(terminal.style('bold', `${title}, qualifying closes ${closing(race)}`));

  await time.advanceTo(closesAt - submittedBeforeMs);
  await qualify(options, day, survivorsOf(before));
  await time.advanceTo(closesAt);
  const field = await detailsOf(options, race.race_id);
  sayField(terminal, field, names);
  if (over.has(field.race.status)) return field;

  await saySealed(options, field);
  await withValidators(options, trouble(options), () => untilOver(options, race.race_id));
  const result = await detailsOf(options, race.race_id);
  sayResult(terminal, result, names);
  await sayTop(options, result, names);
  const standings = await standingsOf(options);
  sayStandings(terminal, standings, names);
  await checkAgain(options, race.race_id);
  return result;
}

/** Hotkeys that are in the next field without doing anything. */
function survivorsOf(race: RaceDetails | undefined): ReadonlySet<string> {
  if (race?.race.status !== 'RACE_COMPLETE') return new Set();
  const survivors = race.qualifiers.filter(({ eliminated_at: gone }) => gone === null);
  return new Set(survivors.map(({ miner_hotkey: hotkey }) => hotkey));
}

/** After the embargo anybody may compute the race again; so does the play, as `npm run verify` does. */
async function checkAgain(options: DaysOptions, raceId: string): Promise<void> {
  const { terminal, time, operator, baseUrls } = options;
  const { race } = await detailsOf(options, raceId);
  if (race.race_completed_at === null) return;
  await time.advanceTo(Date.parse(race.race_completed_at) + embargoMs);
  await patiently(options, 'the bundle of the race', async () => {
    const look = operator.get(`/v1/public/races/${raceId}/bundle`);
    return await look.then(
      () => true,
      () => false,
    );
  });
  terminal.line();
  terminal.line(terminal.style('bold', 'Verified from its bundle'));
  const asked = { raceId, url: baseUrls[0], bundle: undefined, save: undefined };
  const indented = { ...terminal, line: (text = '') => terminal.line(`  ${text}`) };
  const isSame = await verify({
    options: { ...asked, publicKey: undefined },
    terminal: indented,
    clock: time.clock,
  });
  if (!isSame) throw new Error(`race ${race.race_number} does not compute`);
}

async function openRace({ operator }: DaysOptions): Promise<RaceAnswer> {
  const { race } = currentRace.parse(await operator.get('/v1/public/races/current'));
  if (race === null) throw new Error('no race is open');
  return race;
}

async function detailsOf({ operator }: DaysOptions, raceId: string): Promise<RaceDetails> {
  return raceDetails.parse(await operator.get(`/v1/public/races/${raceId}`));
}

/** Every miner without a survivor submits, and the validators work until each version has its verdict. */
async function qualify(
  options: DaysOptions,
  day: number,
  survivors: ReadonlySet<string>,
): Promise<void> {
  const { terminal, operator } = options;
  const waiting = new Set<string>();
  for (let miner = 0; miner < options.miners; miner++) {
    const who = minerName(miner);
    const client = clientOf(options, 'miner', miner);
    // Whoever is in the next field anyway has time to think.
    if (survivors.has(client.hotkey)) continue;
    const file = await agentOfDay({ seed: options.seed, miner, day });
    const versionId = await versionOfDay({ who, client, onEvent: trouble(options) }, file);
    if (versionId !== undefined) waiting.add(versionId);
  }
  const submitted = waiting.size;
  await withValidators(options, trouble(options), () =>
    patiently(options, 'the qualifying evaluations', async () => {
      for (const id of [...waiting]) {
        const status = await operator.get(`/v1/public/agent-versions/${id}/status`);
        if (verdicts.has(versionStatus.parse(status).state)) waiting.delete(id);
      }
      return waiting.size === 0;
    }),
  );
  terminal.line(
    `  ${submitted} files were submitted and judged by ${options.validators} validators`,
  );
}

/** While it runs nothing of it can be read, and no pin can be moved. */
async function saySealed(options: DaysOptions, { race, qualifiers }: RaceDetails): Promise<void> {
  const { terminal } = options;
  const [entrant] = qualifiers;
  if (entrant === undefined) return;
  terminal.line();
  terminal.line(terminal.style('bold', 'Sealed'));
  const seen = fixed(entrant.race_score);
  terminal.line(`  ${race.status}: the race score of ${agentOf(entrant)} is ${seen}`);
  const reply = await clientOf(options, 'miner', 0).request('PUT', '/v1/miner/race-selection', {
    json: { agent_version_id: entrant.agent_version_id },
  });
  if (reply.status < 400) return;
  const { status, code, detail } = refusalOf(reply);
  terminal.line(`  a pin is refused: ${status} ${code}: ${detail}`);
}

async function untilOver(options: DaysOptions, raceId: string): Promise<void> {
  const { operator, terminal } = options;
  let told = false;
  await patiently(options, 'the race', async () => {
    const { race } = await detailsOf(options, raceId);
    if (!told && race.scored_count * 2 >= race.qualifier_count && race.status === 'RACE_RUNNING') {
      told = true;
      const path = `/v1/public/races/${raceId}/validator-variance`;
      const { n_pairs: pairs, max_spread: spread } = varianceAnswer.parse(await operator.get(path));
      const live = `${race.scored_count} of ${race.qualifier_count} scored`;
      const apart =
        spread === null
          ? ''
          : `; validators differ by at most ${spread.toFixed(4)} in ${pairs} pairs`;
      terminal.line(`  ${live}${apart}`);
    }
    return over.has(race.status);
  });
}

async function sayTop(options: DaysOptions, result: RaceDetails, names: Names): Promise<void> {
  const { operator, terminal } = options;
  const top = topAnswer.parse(await operator.get('/v1/public/top'));
  const winner = result.qualifiers.find(({ race_rank: rank }) => rank === 1);
  if (winner !== undefined) {
    terminal.line(`  winner ${agentOf(winner)} with Overall ${fixed(result.race.winner_score)}`);
  }
  if (top.top_agent_version_id === null || top.top_miner_hotkey === null) {
    terminal.line('  nobody is top');
    return;
  }
  const is = top.top_agent_version_id === winner?.agent_version_id ? 'is' : 'stays';
  const who = nameOf(names, top.top_miner_hotkey);
  const beat = `${fixed(top.challenge_threshold)} (margin ${fixed(top.margin)})`;
  const line = `${who} ${is} top with ${fixed(top.top_score)}; to beat: ${beat}`;
  terminal.line(`  ${terminal.style('green', '★')} ${line}`);
}

async function standingsOf(options: DaysOptions) {
  const reply = await clientOf(options, 'validator', 0).request('GET', '/v1/validator/weight-salt');
  return standingsAnswer.parse(reply.body);
}

function trouble({ terminal }: DaysOptions): (event: ParticipantEvent) => void {
  return (event) => {
    if (event.kind !== 'trouble' && event.kind !== 'refused') return;
    const what = event.kind === 'trouble' ? String(event.error) : event.refusal.code;
    terminal.line(`  ${terminal.style('red', '✗')} ${event.who}: ${what}`);
  };
}

async function patiently(
  { time: { clock }, signal }: DaysOptions,
  what: string,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const deadlineMs = clock.monotonicMs() + patienceMs;
  while (!(await isDone())) {
    signal.throwIfAborted();
    if (clock.monotonicMs() > deadlineMs) {
      throw new Error(`${what} did not end within ${patienceMs / 1000} s`);
    }
    await clock.sleep(pollMs, signal);
  }
}

function closing({ qualifying_closes_at: at }: RaceAnswer): string {
  const zone = { timeZone: 'America/Los_Angeles', timeZoneName: 'short' } as const;
  return new Date(at).toLocaleString('en-US', {
    ...zone,
    dateStyle: undefined,
    hour12: false,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
}
