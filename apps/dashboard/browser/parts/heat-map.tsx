import { scoreText, shortKey, wordsOf } from '../format.ts';
import { Link } from '../router.tsx';

export interface HeatCell {
  readonly task: string;
  readonly family: string;
  readonly score: number | null;
  readonly outcome: 'passed' | 'failed' | 'unknown';
  readonly status: string;
}

export interface HeatRow {
  readonly runId: string;
  readonly validator: string;
  readonly address: string;
  readonly cells: readonly HeatCell[];
}

const marks = { passed: '✓', failed: '✗', unknown: '?' } as const;
const steps = 5;

/**
 * A table of runs by tasks: colour for the reward, a mark for the verdict, so that nobody has to tell
 * colours apart, and the words of both for who hears the table.
 */
export function HeatMap({
  caption,
  rows,
  goals,
}: {
  readonly caption: string;
  readonly rows: readonly HeatRow[];
  readonly goals: ReadonlyMap<string, string>;
}) {
  const families = familiesOf(rows);
  const tasks = [...families.values()].flat();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section class="table-box" aria-label={caption} tabIndex={0}>
      <table class="heat">
        <caption>
          {caption}: ✓ passed, ✗ failed, ? no verdict; the stronger the colour, the higher the
          reward
        </caption>
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              Validator
            </th>
            {[...families].map(([family, its]) => (
              <th key={family} scope="colgroup" colSpan={its.length}>
                {family === '' ? 'Tasks' : family}
              </th>
            ))}
          </tr>
          <tr>
            {tasks.map((task) => (
              <th key={task} scope="col" class="task" title={goals.get(task) ?? task}>
                <span class="unseen">{task}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.runId} row={row} tasks={tasks} goals={goals} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({
  row,
  tasks,
  goals,
}: {
  readonly row: HeatRow;
  readonly tasks: readonly string[];
  readonly goals: ReadonlyMap<string, string>;
}) {
  const byTask = new Map(row.cells.map((cell) => [cell.task, cell]));
  return (
    <tr>
      <th scope="row">
        <Link to={row.address}>{shortKey(row.validator)}</Link>
      </th>
      {tasks.map((task) => {
        const cell = byTask.get(task);
        if (cell === undefined) return <td key={task} class="cell none" />;
        const goal = goals.get(task) ?? task;
        const told = `${wordsOf(cell.outcome)}, ${scoreText(cell.score)}, ${cell.status}`;
        return (
          <td key={task} class={`cell ${toneOf(cell)}`} title={`${task}: ${told}. ${goal}`}>
            <span aria-hidden="true">{marks[cell.outcome]}</span>
            <span class="unseen">{told}</span>
          </td>
        );
      })}
    </tr>
  );
}

function toneOf({ outcome, score }: HeatCell): string {
  if (outcome === 'unknown') return 'unknown';
  if (outcome === 'failed') return 'failed';
  return `heat-${Math.min(steps - 1, Math.floor((score ?? 0) * steps))}`;
}

/** The tasks of all runs by family, each once, in the order of their names. */
function familiesOf(rows: readonly HeatRow[]): ReadonlyMap<string, readonly string[]> {
  const byTask = new Map(
    rows.flatMap(({ cells }) => cells.map((cell) => [cell.task, cell.family])),
  );
  const tasks = [...byTask.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const families = Map.groupBy(tasks, (task) => byTask.get(task) ?? '');
  return new Map([...families].sort(([a], [b]) => a.localeCompare(b)));
}
