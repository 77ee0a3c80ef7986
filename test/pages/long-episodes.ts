import type { TestService } from '../support/edge.ts';
import { claim, complete, episodes, sendResults, submit } from '../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { episodeLines, storeEpisode } from './stored-episode.ts';

export const megabyte = 1024 * 1024;
export const [linesTask, objectTask] = ['task-000', 'task-001'] as const;

/** So that the store takes them. */
export const longEpisodesEnv = { ARTIFACT_BYTES_MAX: String(128 * megabyte) };

type Door = Pick<TestService, 'operator' | 'sql' | 'miner' | 'validator'>;

/** Runs of one version by two judges; the first one's episodes are of 100 MB, the second one's short. */
export interface LongEpisodes {
  readonly runs: readonly [string, string];
  /** The page of the first run's episode. */
  readonly pathOf: (task: string) => string;
}

export async function playLongEpisodes(service: Door): Promise<LongEpisodes> {
  const suite = await openTrialSuite(service, { taskCount: 2 });
  await submit(await service.miner('a shopper'), { name: 'long-winded' });
  const made: string[] = [];
  for (const [name, bytes] of [
    ['judge one', 100 * megabyte],
    ['judge two', megabyte],
  ] as const) {
    const judge = await service.validator(name);
    const { eval_run_id: id } = await claim(judge);
    const lines = episodeLines(bytes, judge.hotkey);
    const texts = [`${lines.join('\n')}\n`, objectOf(lines)];
    const ledgers: string[] = [];
    for (const text of texts) ledgers.push(await storeEpisode(judge, { id, suite, text }));
    await sendResults(
      judge,
      episodes(id, suite, (task) => ({ ledger_uri: ledgers[task] ?? null })),
    );
    const success = { terminal_status: 'SUCCESS', validator_score: 0.5 };
    await okBody(await complete(judge, id, success));
    made.push(id);
  }
  const [first = '', second = ''] = made;
  const pathOf = (task: string) => `/app/runs/${first}?task=${task}`;
  return { runs: [first, second], pathOf };
}

/** The other form of an episode: one object, whose steps are one list. */
function objectOf(steps: readonly string[]): string {
  return `{"task_id": "a", "steps": [${steps.join(',\n')}], "outcome": "passed"}`;
}
