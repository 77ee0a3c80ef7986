import { openAsBlob } from 'node:fs';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { randomId } from '../../../infra/ids/ids.ts';
import { parsedJson } from '../../../machines/parsed-json.ts';
import type { Asked } from '../asked.ts';
import type { CallOptions } from '../client/call.ts';
import { operatorRoutes } from '../client/operator-routes.generated.ts';
import type { Rejudging } from '../client/schemas.generated.ts';
import type { Desk } from '../desk.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { Failed } from '../failure.ts';
import { rejudgingLines } from '../rejudging-report.ts';
import { repeatable } from '../repeatable.ts';
import { transferProgress } from '../show/progress.ts';
import { legendLines } from '../show/reasons.ts';
import { valueLines } from '../show/value-lines.ts';
import { UsageError } from '../usage-error.ts';
import type { OperatorOperation } from './names.ts';
import type { OperatorRoute } from './operator-route.ts';
import { requestOf } from './request-of.ts';

/** Moving a clock carries out all that becomes due. All else is waited for like other requests. */
const advanceTimeoutMs = 3_600_000;
/** A pack has up to 4 GiB; an edge gives it as long (apps/edge/body-time.ts). */
const fileTimeoutMs = 24 * 3_600_000;

/** Answers that say more than names and values would show. */
const rejudgings: ReadonlySet<OperatorOperation> = new Set([
  'postAdminRejudgings',
  'getAdminRejudgingsByRejudgingId',
  'postAdminRejudgingsApply',
  'postAdminRejudgingsCancel',
]);

type Method = (request: object, options: CallOptions) => Promise<unknown>;

export async function runOperator(
  operation: OperatorOperation,
  asked: Asked,
  desk: Desk,
): Promise<ExitCode> {
  const { client, out, isJson, stopping } = desk;
  const route: OperatorRoute = operatorRoutes[operation];
  const request = requestOf(route, asked, await fileFields(asked, desk));
  const path = route.body === 'file' ? asked.place('FILE') : undefined;
  const key = asked.text('idempotency-key') ?? randomId();
  const progress = transferProgress(desk, path ?? '');
  // The types of the client's methods are what the fields of the same description say.
  const ask = client[operation] as unknown as Method;
  const asking = ask(
    {
      ...request,
      ...(path !== undefined && { body: await openAsBlob(await readable(path)) }),
      ...(route.takesKey && { idempotencyKey: key }),
    },
    {
      signal: stopping,
      ...(operation === 'postAdminClockAdvance' && { timeoutMs: advanceTimeoutMs }),
      ...(path !== undefined && { timeoutMs: fileTimeoutMs, onUpload: progress.onPiece }),
    },
  );
  const order = route.takesKey ? repeatable(asking, key, 'paddock operator audit-log') : asking;
  const answer = await order.finally(() => progress.end());
  if (isJson) out.line(JSON.stringify(answer ?? null, null, 2));
  else if (answer === undefined) out.line('Done.');
  else {
    const lines = rejudgings.has(operation)
      ? rejudgingLines(answer as Rejudging, out)
      : valuesWithLegend(answer, out);
    for (const line of lines) out.line(line);
  }
  return exitCodes.done;
}

function valuesWithLegend(answer: unknown, out: Desk['out']): readonly string[] {
  const legend = legendLines(answer);
  return [...valueLines(answer, out), ...(legend.length === 0 ? [] : ['', ...legend])];
}

async function fileFields(asked: Asked, { asking }: Desk): Promise<Record<string, unknown>> {
  const path = asked.text('body');
  if (path === undefined) return {};
  const bytes = path === '-' ? await asking.everything() : await readFile(path);
  const value = parsedJson(Buffer.from(bytes).toString('utf8'));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UsageError(`${path === '-' ? 'standard input' : path} must be one JSON object`);
}

/** Of what cannot be read a blob says so in words for programmers alone, or only when it is sent. */
async function readable(path: string): Promise<string> {
  const found = await stat(path);
  // Never read to its end: it fails, and so names the folder as all files are named.
  if (found.isDirectory()) await readFile(path);
  if (!found.isFile()) throw new Failed(`${path}: it is no file`, exitCodes.refused);
  await access(path, constants.R_OK);
  return path;
}
