import type { Clock } from '../../infra/ports/clock.ts';
import type { RaceBundle } from '../../machines/race/bundle.ts';
import type { CompletedRace } from '../../machines/race/complete-race.ts';
import { plainText } from '../cli/show/plain-text.ts';
import { secondsText, type Terminal, table } from '../world/terminal.ts';
import { compareApi } from './compare-api.ts';
import { compareBundle } from './compare-bundle.ts';
import { Comparison, differenceText } from './difference.ts';
import { doubtWithoutPages } from './doubt-without-pages.ts';
import { fetchSealed } from './fetch-bundle.ts';
import { onTrust, onTrustAlone, type VerifyOptions } from './options.ts';
import { openBundle } from './sealed-bundle.ts';

export interface Verification {
  readonly options: VerifyOptions;
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/**
 * Computes a race again and says what differs; true when nothing does. A doubt is told and is no
 * difference: it may have a reason that is not public. Throws BundleRefused.
 */
export async function verify({ options, terminal, clock }: Verification): Promise<boolean> {
  const startedMs = clock.monotonicMs();
  const { bytes, seal } = await fetchSealed(options, clock);
  const bundle = openBundle(bytes, seal, options.publicKey);
  const comparison = new Comparison();
  const results = compareBundle(bundle, comparison);
  if (options.url === undefined) doubtWithoutPages(bundle, comparison);
  else await compareApi({ url: options.url, clock }, bundle, comparison);
  const { differences, doubts, count } = comparison;
  for (const difference of differences) {
    terminal.line(terminal.style('red', plainText(differenceText(difference))));
  }
  for (const doubt of doubts)
    terminal.line(terminal.style('yellow', plainText(`in doubt: ${doubt}`)));
  if (differences.length > 0) {
    terminal.line(`${differences.length} of ${count} values differ.`);
    return false;
  }
  const isPinned = options.publicKey !== undefined;
  const key = `${seal.public_key} (${isPinned ? 'the one you gave' : "the service's own word"})`;
  for (const line of table(summary(bundle, results, key))) terminal.line(plainText(line));
  const took = secondsText(clock.monotonicMs() - startedMs);
  for (const line of onTrust.split('\n')) terminal.line(line);
  if (options.url === undefined) terminal.line(onTrustAlone);
  terminal.line(
    doubts.length === 0
      ? terminal.style('green', `All ${count} values agree, to the last bit, in ${took}.`)
      : terminal.style(
          'yellow',
          `${count} values agree in ${took}, and ${doubts.length} in doubt.`,
        ),
  );
  return true;
}

function summary(
  { race, entrants, runs, tasks }: RaceBundle,
  results: CompletedRace | undefined,
  key: string,
): string[][] {
  const eliminated = entrants.filter(({ is_eliminated }) => is_eliminated).length;
  const isPromoted = race.promoted_agent_version_id !== null;
  return [
    ['race', `${race.race_number} of suite ${race.suite_id}, ${race.race_id}`],
    ['signed by', key],
    ['field', `${entrants.length} entrants, ${runs.length} runs, ${tasks.length} tasks`],
    ['winner', `${race.winner_agent_version_id}, Overall ${race.winner_score}`],
    ['anchor', `${race.top50_mean}, deviation ${race.top50_std}`],
    [
      'margin',
      race.margin === null ? 'nobody reigned' : `${race.margin} on ${race.challenged_score}`,
    ],
    ['top', `${results?.top.agentVersionId} ${isPromoted ? 'became top' : 'stays'}`],
    ['eliminated', String(eliminated)],
    ['emission', `${results?.emission.length} seats, 10^18 units`],
  ];
}
