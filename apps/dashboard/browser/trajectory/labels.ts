/** What the list says of a record before anybody opens it. */
export interface RecordLabel {
  /** What kind of record it is, in its own words; empty where it says none. */
  readonly kind: string;
  /** Why it is a failure; undefined where it is none. */
  readonly failure: string | undefined;
}

const failing: ReadonlySet<string> = new Set([
  ...['error', 'failed', 'failure', 'timeout', 'timed_out', 'timed out', 'exception'],
  ...['agent_error', 'environment_error', 'verifier_error', 'leakage', 'exploit', 'rejected'],
]);
const kindFields = ['type', 'kind', 'event', 'role', 'action', 'tool', 'name', 'task_id'];
const verdictFields = ['outcome', 'status', 'verdict', 'result', 'level'];
const flagFields = ['ok', 'success', 'passed', 'isCorrect', 'is_correct', 'verdict_correct'];
const plain: RecordLabel = { kind: '', failure: undefined };

/** @param text a JSON value, or one property of an object as it is written */
export function labelOf(text: string): RecordLabel {
  const value = parsed(text);
  if (isObject(value)) return { kind: kindOf(value), failure: failureOf(value) };
  const property = value === undefined ? parsed(`{${text}}`) : undefined;
  if (!isObject(property)) return plain;
  return { kind: Object.keys(property)[0] ?? '', failure: failureOf(property) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function kindOf(value: object): string {
  for (const name of kindFields) {
    const said: unknown = Reflect.get(value, name);
    if (typeof said === 'string') return said.slice(0, 40);
  }
  return '';
}

function failureOf(value: object): string | undefined {
  const error: unknown = Reflect.get(value, 'error');
  if (typeof error === 'string' && error !== '') return error.slice(0, 120);
  if (typeof error === 'object' && error !== null) return JSON.stringify(error).slice(0, 120);
  for (const name of verdictFields) {
    const said: unknown = Reflect.get(value, name);
    if (typeof said === 'string' && failing.has(said.toLowerCase())) return said;
  }
  const denied = flagFields.find((name) => Reflect.get(value, name) === false);
  return denied === undefined ? undefined : `${denied} is false`;
}
