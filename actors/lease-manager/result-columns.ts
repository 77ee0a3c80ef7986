import { z } from 'zod';
import type { EpisodeOutcome } from '../../machines/types.ts';

/** Results of one run as the database takes them: a column for each field, a place for each result. */
export interface ResultColumns {
  /** One for all of them where they agree. */
  readonly envPackSha256: string | readonly string[];
  readonly taskId: readonly string[];
  /** Of run and task, so that no way of sending a result makes a second id for it. */
  readonly episodeResultId: readonly string[];
  readonly family: readonly string[];
  readonly outcome: readonly EpisodeOutcome[];
  readonly verdictCorrect: readonly boolean[];
  /** JSON texts, which nobody but the database reads. */
  readonly verdictChecks: readonly string[];
  readonly rewardComponents: readonly string[];
  /** How many there are in these texts, so that no reader opens them; edges of the version before do not count. */
  readonly checksPassed?: readonly number[];
  readonly checksFailed?: readonly number[];
  readonly checksUnknown?: readonly number[];
  readonly componentCount?: readonly number[];
  readonly rewardMicro: readonly (number | null)[];
  readonly wallSeconds: readonly (number | null)[];
  readonly terminalStateHash: readonly (string | null)[];
  readonly ledgerUri: readonly (string | null)[];
  readonly stepCount: readonly number[];
}

type ColumnType = 'boolean' | 'number' | 'string';

type CountName = 'checksPassed' | 'checksFailed' | 'checksUnknown' | 'componentCount';

const columnTypes = {
  taskId: ['string'],
  episodeResultId: ['string'],
  family: ['string'],
  outcome: ['string'],
  verdictCorrect: ['boolean'],
  verdictChecks: ['string'],
  rewardComponents: ['string'],
  rewardMicro: ['number', 'null'],
  wallSeconds: ['number', 'null'],
  terminalStateHash: ['string', 'null'],
  ledgerUri: ['string', 'null'],
  stepCount: ['number'],
} as const satisfies Record<
  Exclude<keyof ResultColumns, CountName | 'envPackSha256'>,
  readonly [ColumnType] | readonly [ColumnType, 'null']
>;

const columnNames = Object.keys(columnTypes) as (keyof typeof columnTypes)[];

const countNames: readonly CountName[] = [
  ...(['checksPassed', 'checksFailed', 'checksUnknown', 'componentCount'] as const),
];

const resultsMax = 500;

/**
 * Only that there is a value of the right type in each place: a column that is short would shift its
 * neighbours. What the values may be, the edge and the tables say.
 */
export const resultColumns = z.custom<ResultColumns>(
  areColumns,
  `must be columns of one length of at most ${resultsMax}`,
);

function areColumns(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const columns = given as Readonly<Record<string, unknown>>;
  const { taskId, envPackSha256 } = columns;
  if (!Array.isArray(taskId) || taskId.length === 0 || taskId.length > resultsMax) return false;
  const isWhole = (column: unknown, [type, orNull]: readonly (ColumnType | 'null')[]) =>
    Array.isArray(column) &&
    column.length === taskId.length &&
    column.every((value) => typeof value === type || (value === null && orNull === 'null'));
  return (
    columnNames.every((name) => isWhole(columns[name], columnTypes[name])) &&
    countNames.every((name) => columns[name] === undefined || isWhole(columns[name], ['number'])) &&
    (typeof envPackSha256 === 'string' || isWhole(envPackSha256, ['string']))
  );
}

/** Those in these places, in their order. */
export function pickResults(columns: ResultColumns, places: readonly number[]): ResultColumns {
  const { envPackSha256 } = columns;
  if (places.length === columns.taskId.length) return columns;
  const pick = (values: readonly unknown[]) => places.map((place) => values[place]);
  const names = [...columnNames, ...countNames];
  const picked = Object.fromEntries(
    names.flatMap((name) => {
      const values = columns[name];
      return values === undefined ? [] : [[name, pick(values)]];
    }),
  );
  return {
    ...picked,
    envPackSha256: typeof envPackSha256 === 'string' ? envPackSha256 : pick(envPackSha256),
    // Sound because every column is there, and keeps what its values are.
  } as ResultColumns;
}
