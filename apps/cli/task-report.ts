import { type Terminal, table } from '../world/terminal.ts';
import type { GeneratedResult, ProblemProgress } from './client/schemas.generated.ts';
import { plainText, shortened } from './show/plain-text.ts';

/** What came of each task in each run, with the ids by which logs and trajectories are downloaded. */
export function taskLines({ generated_results: results }: ProblemProgress, terminal: Terminal) {
  if (results.length === 0) return ['No validator has taken it yet.'];
  return results.flatMap((result, index) => [
    ...(index === 0 ? [] : ['']),
    runLine(result, terminal),
    ...itemLines(result.items).map((line) => `  ${line}`),
  ]);
}

function runLine({ identity }: GeneratedResult, terminal: Terminal): string {
  const { eval_run_id: id, validator_hotkey: hotkey, status } = identity;
  return `${terminal.style('bold', `Run ${id}`)}  ${status}  by ${shortened(hotkey)}`;
}

function itemLines({ detail_released: isReleased, items }: GeneratedResult['items']) {
  if (!isReleased) return ['sealed until the race is over and its embargo has passed'];
  if (items.length === 0) return ['no results yet'];
  const rows = items.map((item) => [
    plainText(item.item_id),
    shortened(item.family ?? '–', 24),
    plainText(item.status),
    item.score === null ? '–' : String(item.score),
    item.step_count === null ? '–' : String(item.step_count),
    item.episode_result_id ?? '–',
  ]);
  return table([['TASK', 'FAMILY', 'STATUS', 'SCORE', 'STEPS', 'EPISODE'], ...rows]);
}
