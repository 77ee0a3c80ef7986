import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { type CodedRefusal, refused, shaped } from '../edge/routes/answers.ts';
import { type CodeId, type CodeRow, codes } from '../spec/codes.ts';
import type { RouteRow } from '../spec/routes/route-row.ts';
import { type RouteId, routeOf, type routes } from '../spec/routes.ts';
import type { TestService } from '../support/edge.ts';
import type { CallOptions, TestKey } from '../support/edge-client.ts';
import { Witness } from './witness.ts';

export interface Ask {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whose key signs, on routes of miners and validators. */
  readonly by?: TestKey;
}

type AnswerOf<Id extends RouteId> =
  (typeof routes)[Id]['answer'] extends z.ZodType<infer T> ? T : unknown;

/** Asks for what a row of the table promises, and holds every answer against it. */
export class ContractDesk {
  readonly seen = new Witness();
  readonly #service: TestService;

  constructor(service: TestService) {
    this.#service = service;
  }

  /** The request as the row says it, whatever comes back. */
  async send(id: RouteId, asked: Ask = {}): Promise<Response> {
    const { method, path, auth, bodyType }: RouteRow = routeOf(id);
    const { body, by } = asked;
    const isRaw = bodyType === 'application/gzip';
    const headers = { ...(isRaw && { 'content-type': bodyType }), ...asked.headers };
    const options: CallOptions = { headers, ...(body !== undefined && { body }) };
    const target = addressOf(path, asked);
    if (auth === 'operator') return await this.#service.operator(method, target, options);
    if (by !== undefined) return await by.request(method, target, options);
    return await this.#service.call(method, target, options);
  }

  /** Must be a 200 of the documented shape: no field missing, none extra. */
  async ask<Id extends RouteId>(
    t: ExecutionContext,
    id: Id,
    asked: Ask = {},
  ): Promise<AnswerOf<Id>> {
    const { answer }: RouteRow = routeOf(id);
    const schema = answer === 'open' ? z.unknown() : answer;
    const value = await shaped(t, schema, await this.send(id, asked));
    if (answer !== 'open') this.seen.note(answer, value);
    return value as AnswerOf<Id>;
  }

  /** Must be refused as the row of the code says, with the fields that it names. */
  async refuse(t: ExecutionContext, id: CodeId, answer: Response): Promise<CodedRefusal> {
    const { code, status, extras = [] }: CodeRow = codes[id];
    const body = await refused(t, answer, `${status} ${code}`);
    for (const extra of extras) t.true(extra in body, `${code} carries ${extra}`);
    return body;
  }
}

function addressOf(path: string, { params = {}, query = {} }: Ask): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${path} needs ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
