import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { PreparedAnswer } from '../../prepared-answer.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { publicProblems, type SuiteProblemRow, suiteById } from '../../reads/suites.ts';
import { flagText } from '../../wire/flag.ts';
import { idText } from '../../wire/integer.ts';
import { publicTask, toPublicTasks } from '../../wire/public-task.ts';
import { suite, toSuite } from '../../wire/suite.ts';
import { uuidOut } from '../../wire/uuid.ts';

const suiteWithProblems = z
  .object({
    suite,
    problems: z.array(
      z.object({
        problem_id: uuidOut,
        suite_id: z.number().int(),
        metadata: z.record(z.string(), z.unknown()),
      }),
    ),
    qualifying_tasks: z.array(publicTask),
  })
  .meta({ id: 'SuiteWithProblems' });

function toProblem(row: SuiteProblemRow, inSuite: number) {
  const embeddings = row.embeddings === null ? {} : { reward_title_embeddings: row.embeddings };
  return {
    problem_id: row.problemId,
    suite_id: inSuite,
    metadata: { ...row.metadata, ...embeddings },
  };
}

export const listSuiteProblems = endpoint({
  method: 'get',
  path: '/v1/public/suites/{suite_id}/problems',
  role: 'public',
  owner: 'nobody',
  summary: 'The public problems or tasks of a suite, in order',
  trafficClass: 2,
  cache: liveRead,
  params: z.object({ suite_id: idText }),
  query: z.object({
    include_embeddings: flagText.default(false).meta({ override: { default: false } }),
  }),
  response: suiteWithProblems,
  faults: ['SUITE_NOT_FOUND'],

  async handle({ params, query }, { sql, keptPages }) {
    const found = await suiteById(sql, params.suite_id);
    if (found === undefined) throw refusal('SUITE_NOT_FOUND');
    const shown = toSuite(found);
    // A suite's problems are stored with it, in one transaction, and never change.
    const page = {
      key: `suite ${found.suiteId} ${query.include_embeddings}`,
      version: JSON.stringify(shown),
    };
    const body = await keptPages.get(page, async () => {
      const rows = await publicProblems(sql, found.suiteId, query.include_embeddings);
      return {
        suite: shown,
        problems: rows.map((row) => toProblem(row, found.suiteId)),
        qualifying_tasks: toPublicTasks(rows),
      } satisfies z.input<typeof suiteWithProblems>;
    });
    return new PreparedAnswer({ body, isKept: true });
  },
});
