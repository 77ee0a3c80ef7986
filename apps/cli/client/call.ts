/** One operation as the generated client describes it to the runtime. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its `{name}` places. */
  readonly path: string;
  /** Whose proof the route asks for. */
  readonly proof: 'none' | 'hotkey' | 'operator' | 'run';
  readonly query: readonly string[];
  /** By their names, the fields of what a caller gives that go as headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly bodyType?: string;
  /** The media types in which it succeeds, '' for one without a body; JSON alone where none are named. */
  readonly answers?: readonly string[];
}

/** What a caller gives: the parameters by their names, the body and the key of a repeat. */
export type Given = object & {
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
};

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Hears each id of a stream of events, also the one that says where it begins. */
  readonly onEventId?: ((id: string) => void) | undefined;
  /** Hears how much of a file has gone; each attempt begins anew. */
  readonly onUpload?: ((sentBytes: number, totalBytes: number) => void) | undefined;
}

export type Send = (call: Call, given: Given, options?: CallOptions) => Promise<unknown>;

/** The address of a call; parameters that are left out are not sent. */
export function addressOf(baseUrl: string, { path, query }: Call, given: Given): string {
  const said = (name: string): unknown => Reflect.get(given, name);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    return encodeURIComponent(String(said(name)));
  });
  const asked = query.filter((name) => said(name) !== undefined);
  const search = new URLSearchParams(asked.map((name) => [name, String(said(name))]));
  const suffix = search.size === 0 ? '' : `?${search}`;
  return `${baseUrl.replace(/\/$/, '')}${filled}${suffix}`;
}

/** The headers that say what a caller gave. */
export function headersOf({ headers = {} }: Call, given: Given): Record<string, string> {
  const said = Object.entries(headers).map(([name, field]) => [name, Reflect.get(given, field)]);
  const sent = said.filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, String(value)]));
}

export interface EncodedBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: NonNullable<RequestInit['body']>;
}

export function encodeBody({ bodyType }: Call, { body }: Given): EncodedBody {
  if (bodyType === undefined || body === undefined) return { headers: {} };
  if (bodyType === 'multipart/form-data') return { headers: {}, body: formOf(body) };
  const headers = { 'content-type': bodyType };
  return bodyType === 'application/json'
    ? { headers, body: JSON.stringify(body) }
    : { headers, body: body as Blob };
}

function formOf(fields: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(Object(fields) as Record<string, unknown>)) {
    if (value instanceof Blob) form.set(name, value, value instanceof File ? value.name : name);
    else form.set(name, String(value));
  }
  return form;
}
