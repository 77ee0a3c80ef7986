import { invalidRequest } from '../validation.ts';

/**
 * The query as one text per name. A name that comes twice, brackets that mean arrays or objects
 * elsewhere, bytes that are not UTF-8 and NUL have no meaning here and are refused.
 */
export function queryText(url: string): Readonly<Record<string, string>> {
  const start = url.indexOf('?');
  if (start < 0) return none;
  const fields: Record<string, string> = Object.create(null);
  for (const pair of url.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const [name, value] = decodedPair(pair);
    if (name in fields) throw refused(name, 'must not be repeated');
    if (/[[\]]/.test(name)) throw refused(name, 'must be a plain value');
    fields[name] = value;
  }
  return fields;
}

const none: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

function decodedPair(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=');
  const name = equals < 0 ? pair : pair.slice(0, equals);
  const value = equals < 0 ? '' : pair.slice(equals + 1);
  return [decoded(name), decoded(value)];
}

function decoded(text: string): string {
  let plain: string;
  try {
    plain = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw refused('', 'must be UTF-8 in percent encoding');
  }
  if (plain.includes('\0')) throw refused('', 'must not hold a NUL');
  return plain;
}

function refused(name: string, msg: string) {
  const loc = name === '' ? ['query'] : ['query', name.slice(0, 100)];
  return invalidRequest([{ loc, msg, type: 'value_error', input: null, ctx: {} }]);
}
