import { activeSuite } from '../../../../apps/edge/reads/suites.ts';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../../infra/postgres/client.ts';
import { plainBoardPage, plainBoardTotals } from '../../../support/plain-leaderboard.ts';
import { alternate } from '../alternate.ts';
import { type Asker, notGood } from '../asking.ts';
import { type Block, type Figure, mustBeRight } from '../block.ts';
import { loadVersions, searches } from '../board-versions.ts';
import { compared, read } from '../judge.ts';
import type { Lab } from '../lab.ts';

const path = '/v1/public/leaderboard';
const limit = 20;
const pagesPerSecond = 1_000;
const searchesPerSecond = 20;
/** SQL takes seconds for a page, and hundreds of times as long as we do. */
const sqlRounds = 3;
/** An edge that has just read a million rows has compiled nothing yet of what answers for them. */
const warmUpSeconds = 3;

interface Stage {
  readonly lab: Lab;
  readonly baseUrl: string;
  readonly asker: Asker;
  readonly sql: Sql;
  readonly suiteId: number;
  readonly versions: number;
}

/** A board of many versions: pages anywhere, searches, and the same as plain SQL. */
export const leaderboard: Block = {
  name: 'leaderboard',
  goals: [16],
  isQuick: false,
  async run(lab) {
    const versions = lab.sized(100_000, 1_000_000);
    await using stack = new AsyncDisposableStack();
    const { world } = stack.use(await lab.ownProduct({ validators: 1 }));
    const options = { url: world.neighbours.databaseUrl, applicationName: 'bench', max: 1 };
    const sql = stack.adopt(createSql({ ...options, statementTimeoutMs: 0 }), closeSql);
    const suiteId = (await activeSuite(sql))?.suiteId ?? 0;
    await loadVersions(sql, suiteId, versions);
    const [baseUrl = ''] = world.service.baseUrls;
    // Whoever asks first waits for the board, perhaps longer than one request may take.
    while (!(await fetch(baseUrl + path)).ok) lab.say('the board is being read');
    const stage = { lab, baseUrl, sql, suiteId, versions, asker: await lab.asker() };
    const pages = anyPages(versions);
    const figures = [
      await latency(stage, {
        ...{ what: `a page of ${limit} anywhere`, paths: pages, rate: pagesPerSecond },
        ...{ must: 5, aim: 2 },
      }),
    ];
    for (const [kind, q] of Object.entries(searches)) {
      const paths = [`${path}?limit=${limit}&q=${encodeURIComponent(q)}`];
      const asked = { what: `search, ${kind}`, paths, rate: searchesPerSecond, must: 20, aim: 10 };
      figures.push(await latency(stage, asked));
    }
    figures.push(await besideSql(stage));
    return figures;
  },
};

function anyPages(versions: number): readonly string[] {
  const spread = 1_009;
  return Array.from({ length: spread }, (_, at) => {
    const offset = Math.floor((((at * 617) % spread) / spread) * versions);
    return `${path}?limit=${limit}&offset=${offset}`;
  });
}

async function latency(
  { lab, asker, baseUrl, versions }: Stage,
  {
    paths,
    rate,
    what,
    ...bounds
  }: {
    readonly what: string;
    readonly paths: readonly string[];
    readonly rate: number;
    readonly must: number;
    readonly aim: number;
  },
): Promise<Figure> {
  const askFor = async (seconds: number) => {
    const asked = await asker.ask({
      ...{ baseUrls: [baseUrl], connections: 64, seconds, rate },
      questions: paths.map((each) => ({ method: 'GET', path: each })),
    });
    mustBeRight(notGood(asked));
    return asked.latency.quantileMs(0.99);
  };
  await askFor(warmUpSeconds);
  const values: number[] = [];
  for (let round = 0; round < lab.rounds; round += 1) values.push(await askFor(lab.sized(1, 2)));
  const note = `${rate} a second, open loop, ${versions} versions`;
  return read({
    goal: 16,
    what: `${what}, p99`,
    unit: 'ms',
    values,
    note,
    isHigherBetter: false,
    ...bounds,
  });
}

/** From the question to the answer, one at a time; SQL without HTTP. */
async function besideSql({ baseUrl, sql, suiteId, versions }: Stage): Promise<Figure> {
  const offset = versions / 2;
  const query = { suiteId, limit, offset, search: undefined };
  const sides = {
    ours: () =>
      timed(
        async () => await (await fetch(`${baseUrl}${path}?limit=${limit}&offset=${offset}`)).text(),
      ),
    theirs: () =>
      timed(() => Promise.all([plainBoardPage(sql, query), plainBoardTotals(sql, query)])),
  };
  const pairs = (await alternate(sqlRounds, sides)).map(({ ours, theirs }) => ({
    ours: 1_000 / ours,
    theirs: 1_000 / theirs,
  }));
  return compared({
    ...{ goal: 16, what: `a page at ${offset}, one at a time`, unit: '/s', pairs },
    ...{ to: 'peer', name: 'SQL with offset', must: 50, aim: 50, isHigherBetter: true },
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
