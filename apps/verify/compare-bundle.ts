import { standingsOf, weightVector } from '../../machines/emission/standings.ts';
import type { RaceBundle } from '../../machines/race/bundle.ts';
import type { CompletedRace, EntrantResult } from '../../machines/race/complete-race.ts';
import { compareField } from './compare-field.ts';
import { compareTimes } from './compare-times.ts';
import type { Comparison } from './difference.ts';
import { integrityFault, rebuiltRace, rebuiltRunScore } from './rebuild.ts';

type Entrant = RaceBundle['entrants'][number];
type Run = RaceBundle['runs'][number];

/**
 * Compares everything that a bundle says of its race with what follows from its task rewards, its
 * facts and its rules. Undefined when nothing follows: a race without finishers cannot complete.
 */
export function compareBundle(bundle: RaceBundle, to: Comparison): CompletedRace | undefined {
  compareTimes(bundle, to);
  compareField(bundle, to);
  compareRuns(bundle, to);
  const results = rebuiltRace(bundle);
  to.same('race status', 'complete', results.kind);
  if (results.kind !== 'complete') return undefined;
  compareRace(bundle, results, to);
  compareEntrants(bundle, results, to);
  compareEmission(bundle, results, to);
  return results;
}

function compareRuns(bundle: RaceBundle, to: Comparison): void {
  const taskIds = new Set(bundle.tasks.map(({ task_id }) => task_id));
  const entrants = new Set(bundle.entrants.map(({ agent_version_id }) => agent_version_id));
  const runIds = bundle.runs.map(({ eval_run_id }) => eval_run_id);
  to.same('runs, each once', runIds.length, new Set(runIds).size);
  for (const run of bundle.runs) {
    const name = `run ${run.eval_run_id}`;
    to.same(`${name} score`, run.score_micro, rebuiltRunScore(run, bundle));
    to.same(`${name} entrant`, entrants.has(run.agent_version_id), true);
    const results = run.episode_results.map(({ task_id }) => task_id);
    to.same(
      `${name} tasks`,
      results.filter((id) => !taskIds.has(id)),
      [],
    );
    to.same(`${name} results, each once`, results.length, new Set(results).size);
    if (run.is_included) to.same(`${name}, which counts, excluded as`, run.exclusion_reason, null);
    compareSuccess(run, bundle, to);
  }
  compareInclusion(bundle, to);
}

/** An envpack run succeeds by the results of all its tasks, and by none that breaks its integrity. */
function compareSuccess(run: Run, { race, tasks }: RaceBundle, to: Comparison): void {
  if (race.execution_kind !== 'envpack' || run.status !== 'SUCCESS') return;
  const { eval_run_id: id, episode_results: results } = run;
  to.same(`run ${id} results, of every task`, results.length, tasks.length);
  const outcomes = Object.entries(Object.groupBy(results, ({ outcome }) => outcome));
  const counts = outcomes.map(([outcome, of]) => `${of.length} ${outcome}`).join(', ');
  to.same(`run ${id} fault, by ${counts}`, null, integrityFault(run, tasks.length));
}

/** Each included run is a success of another validator, and no more count than are asked for. */
function compareInclusion({ runs, entrants, race }: RaceBundle, to: Comparison): void {
  const included = Map.groupBy(
    runs.filter(({ is_included }) => is_included),
    ({ agent_version_id }) => agent_version_id,
  );
  for (const { agent_version_id: id } of entrants) {
    const own = included.get(id) ?? [];
    const name = `version ${id} included runs`;
    to.same(`${name}, successes`, own.filter(({ status }) => status !== 'SUCCESS').length, 0);
    const validators = new Set(own.map(({ validator_hotkey }) => validator_hotkey));
    to.same(`${name}, each of another validator`, own.length, validators.size);
    to.same(`${name}, not too many`, own.length <= race.policy.requiredSuccesses, true);
  }
}

function compareRace({ race, entrants }: RaceBundle, results: CompletedRace, to: Comparison): void {
  const finishers = results.entrants.filter(({ rawScore }) => rawScore !== null);
  to.same('anchor (top50_mean)', race.top50_mean, results.anchor);
  to.same('deviation (top50_std)', race.top50_std, results.std);
  to.same('winner', race.winner_agent_version_id, results.winner.agentVersionId);
  to.same('winner score', race.winner_score, results.winner.score);
  to.same('margin', race.margin, results.margin);
  to.same('challenged score', race.challenged_score, results.challengedScore);
  const promoted = results.top.kind === 'promoted' ? results.top.agentVersionId : null;
  to.same('promotion', race.promoted_agent_version_id, promoted);
  to.same('qualifier count', race.qualifier_count, entrants.length);
  to.same('scored count', race.scored_count, finishers.length);
}

function compareEntrants({ entrants }: RaceBundle, results: CompletedRace, to: Comparison): void {
  const rebuilt = new Map(results.entrants.map((each) => [each.agentVersionId, each]));
  for (const said of entrants) {
    const computed = rebuilt.get(said.agent_version_id);
    if (computed !== undefined) compareEntrant(said, computed, to);
  }
}

function compareEntrant(said: Entrant, computed: EntrantResult, to: Comparison): void {
  const name = `version ${said.agent_version_id}`;
  to.same(`${name} race score`, said.race_score, computed.rawScore);
  to.same(`${name} interval`, [said.score_low, said.score_high], intervalOf(computed));
  to.same(`${name} Overall`, said.weighted_score, computed.weightedScore);
  to.same(`${name} rank`, said.race_rank, computed.rank);
  to.same(`${name} elimination`, said.is_eliminated, computed.isEliminated);
  to.same(`${name} unfinished reason`, said.unfinished_reason, computed.unfinishedReason);
  const window = computed.window?.map((slot) => [
    slot.raceId,
    slot.raceNumber,
    slot.rawScore,
    slot.anchor,
    slot.delta,
    slot.isSeed,
  ]);
  const saidWindow = said.score_window?.map((slot) => [
    slot.race_id,
    slot.race_number,
    slot.raw_score,
    slot.anchor,
    slot.delta,
    slot.is_seed,
  ]);
  to.same(`${name} window`, saidWindow ?? null, window ?? null);
}

const intervalOf = ({ scoreLow, scoreHigh }: EntrantResult) => [scoreLow, scoreHigh];

function compareEmission(bundle: RaceBundle, results: CompletedRace, to: Comparison): void {
  const { emission } = bundle;
  to.same('emission seats', emission.length, results.emission.length);
  for (const [index, computed] of results.emission.entries()) {
    const said = emission[index];
    const name = `emission seat ${computed.position} (${computed.seat})`;
    to.same(`${name} position`, said?.position, computed.position);
    to.same(`${name} kind`, said?.seat, computed.seat);
    to.same(`${name} version`, said?.agent_version_id, computed.agentVersionId);
    to.same(`${name} hotkey`, said?.miner_hotkey, computed.minerHotkey);
    to.same(`${name} weight`, said?.weight, computed.weight);
    to.same(`${name} units`, said?.units, computed.units);
  }
  const sum = emission.reduce((total, { units }) => total + BigInt(units), 0n);
  to.same('emission units in all', sum.toString(), '1000000000000000000');
  compareVector(bundle, results, to);
}

/** What validators put on chain follows from the standings, which follow from the race. */
function compareVector({ race, emission }: RaceBundle, results: CompletedRace, to: Comparison) {
  const survivors = results.entrants.flatMap(
    ({ agentVersionId, minerHotkey, rawScore, isEliminated }) =>
      rawScore === null || isEliminated ? [] : [{ agentVersionId, minerHotkey, rawScore }],
  );
  const topHotkey = results.top.minerHotkey;
  const { burnRateMicro } = race.policy;
  const vector = weightVector(standingsOf({ burnRateMicro, topHotkey, survivors }));
  to.same(
    'weight vector',
    emission.map(({ miner_hotkey, weight }) => [miner_hotkey, weight]),
    vector.map(({ hotkey, weight }) => [hotkey, weight.toString()]),
  );
}
