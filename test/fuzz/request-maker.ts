import type { DescribedApi, Operation, Parameter } from './described-api.ts';
import type { Dice } from './dice.ts';
import type { Values } from './values.ts';

export interface MadeRequest {
  readonly operation: Operation;
  readonly method: string;
  /** With query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | FormData | undefined;
}

/** Gives the headers of somebody who may use one of the schemes, or of somebody who may not. */
export type CredentialsFor = (operation: Operation, isWrong: boolean) => Record<string, string>;

/** Where a request is spoilt; most are not. */
type Flaw = 'path' | 'query' | 'body' | 'header' | 'credentials' | 'encoding' | undefined;

const agentFiles: readonly [string, ...string[]] = [
  'def agent(task):\n    return {"order": task["goal_text"]}\n',
  'import os\n',
  'eval("1")\n',
  'def agent(:\n',
  '',
  '\u0000',
];

export class RequestMaker {
  readonly #dice: Dice;
  readonly #values: Values;
  readonly #operations: readonly Operation[];
  readonly #credentialsFor: CredentialsFor;
  readonly #packs: readonly Uint8Array[];

  constructor(deps: {
    readonly api: DescribedApi;
    readonly dice: Dice;
    readonly values: Values;
    /** How often each operation comes; 0 leaves it out. */
    readonly weightOf: (operation: Operation) => number;
    readonly credentialsFor: CredentialsFor;
    /** Bytes that some operation takes for a pack. */
    readonly packs: readonly Uint8Array[];
  }) {
    this.#dice = deps.dice;
    this.#values = deps.values;
    this.#operations = deps.api.operations.flatMap((operation) =>
      Array.from({ length: deps.weightOf(operation) }, () => operation),
    );
    this.#credentialsFor = deps.credentialsFor;
    this.#packs = deps.packs;
  }

  next(): MadeRequest {
    const dice = this.#dice;
    const operation = dice.pick(this.#operations);
    if (operation === undefined) throw new Error('no operation is described');
    const flaw: Flaw = dice.chance(0.6)
      ? undefined
      : dice.pick(['path', 'query', 'body', 'header', 'credentials', 'encoding'] as const);
    const { body, contentType } = this.#body(operation, flaw);
    const headers = {
      ...this.#credentialsFor(operation, flaw === 'credentials'),
      ...this.#headers(operation, flaw),
      ...(contentType !== undefined && { 'content-type': contentType }),
    };
    const target = this.#path(operation, flaw) + this.#query(operation, flaw);
    return { operation, method: operation.method.toUpperCase(), target, headers, body };
  }

  #path(operation: Operation, flaw: Flaw): string {
    return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = operation.parameters.find((each) => each.name === name);
      const schema = parameter?.schema ?? {};
      const text =
        flaw === 'path' ? this.#values.wrongText(schema) : String(this.#values.valid(schema, name));
      // An empty step would be another route.
      return encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E') || '%20';
    });
  }

  #query(operation: Operation, flaw: Flaw): string {
    const dice = this.#dice;
    const pairs: [string, string][] = [];
    for (const { name, schema, required } of inPart(operation, 'query')) {
      if (!required && dice.chance(0.5)) continue;
      const isWrong = flaw === 'query' && dice.chance(0.5);
      const value = isWrong ? this.#values.wrongText(schema) : this.#values.valid(schema, name);
      pairs.push([name, String(value)]);
    }
    if (flaw === 'query' && dice.chance(0.3)) pairs.push(pairs[0] ?? ['any', '1']);
    if (flaw === 'query' && dice.chance(0.2)) pairs.push(['a[b]', '1'], ['a', '1'], ['a', '2']);
    if (pairs.length === 0) return '';
    const encoded = pairs.map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`,
    );
    return `?${encoded.join('&')}`;
  }

  #headers(operation: Operation, flaw: Flaw): Record<string, string> {
    const dice = this.#dice;
    const headers: Record<string, string> = {};
    for (const { name, schema } of inPart(operation, 'header')) {
      if (dice.chance(0.7)) continue;
      const plain = String(this.#values.valid(schema, name)).replaceAll(/[^\x20-\x7e]/g, '');
      headers[name] = flaw === 'header' ? dice.pick(['two words', 'x'.repeat(300), 'é']) : plain;
    }
    if (flaw === 'header' && dice.chance(0.3)) headers['x-forwarded-for'] = '1.2.3.4, junk';
    if (flaw === 'header' && dice.chance(0.3)) headers['accept-encoding'] = 'gzip;q=0.5, br, *;q=0';
    if (flaw === 'header' && dice.chance(0.3))
      headers['if-none-match'] = dice.pick(['*', '"x"', 'x']);
    return headers;
  }

  #body(
    { body: described }: Operation,
    flaw: Flaw,
  ): { body: MadeRequest['body']; contentType?: string } {
    const dice = this.#dice;
    if (described === undefined) return { body: undefined };
    if (described.mediaType === 'multipart/form-data') return { body: this.#form(flaw) };
    if (described.mediaType !== 'application/json') {
      const junk = Buffer.from(dice.hex(200), 'hex');
      const bytes = flaw === 'body' ? junk : (dice.pick(this.#packs) ?? junk);
      return { body: bytes, contentType: described.mediaType };
    }
    if (!described.isRequired && dice.chance(0.3)) return { body: undefined };
    const value = this.#values.valid(described.schema);
    const sent = flaw === 'body' ? this.#spoilt(value, described.schema) : value;
    const text = JSON.stringify(sent) ?? 'null';
    if (flaw !== 'encoding') return { body: text, contentType: 'application/json' };
    return dice.pick([
      { body: text.slice(0, -1), contentType: 'application/json' },
      { body: text, contentType: 'text/plain' },
      { body: `\ufeff${text}`, contentType: 'application/json' },
      { body: '['.repeat(2000), contentType: 'application/json' },
      { body: `{"__proto__":1,"a":1,"a":2,${text.slice(1)}`, contentType: 'application/json' },
      { body: new Uint8Array([0xff, 0xfe, 0x7b]), contentType: 'application/json; charset=utf-16' },
      { body: '', contentType: 'application/json' },
    ]);
  }

  /** One field of an object is wrong, missing or too much; or the whole is something else. */
  #spoilt(value: unknown, schema: object): unknown {
    const dice = this.#dice;
    if (typeof value !== 'object' || value === null || Array.isArray(value) || dice.chance(0.1)) {
      return this.#values.wrong(schema);
    }
    const fields: Record<string, unknown> = { ...value };
    const name = dice.pick(Object.keys(fields));
    if (name === undefined || dice.chance(0.1)) return { ...fields, unknown_field: { a: 1 } };
    if (dice.chance(0.2)) delete fields[name];
    else fields[name] = this.#values.wrong({});
    return fields;
  }

  #form(flaw: Flaw): FormData {
    const dice = this.#dice;
    const form = new FormData();
    const file = flaw === undefined ? agentFiles[0] : dice.pick(agentFiles);
    if (flaw !== 'encoding') form.append('agent_name', dice.pick(['shopper', 'second', 'third']));
    if (flaw === 'body') form.append('agent_name', '/');
    form.append('file', new Blob([file]), 'agent.py');
    return form;
  }
}

function inPart({ parameters }: Operation, part: Parameter['in']): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.in === part);
}
