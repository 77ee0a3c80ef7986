/** Object ids of the array types that our statements use. */
const textArray = 1009;
const uuidArray = 2951;
const integerArray = 1007;
const bigintArray = 1016;

/**
 * Arrays, by the object ids that PostgreSQL has given them for ever. The client library (3.4.9) would
 * ask the server for them on every new connection, and a connection that goes away under that
 * question ends the process.
 */
export const arrayTypes = {
  text_array: arrayType(textArray, (text) => text),
  uuid_array: arrayType(uuidArray, (text) => text),
  integer_array: arrayType(integerArray, Number),
  /** Of values that a double holds exactly. */
  bigint_array: arrayType(bigintArray, Number),
};

function arrayType(oid: number, parse: (text: string) => unknown) {
  return {
    to: oid,
    from: [oid],
    serialize: (values: unknown) => (Array.isArray(values) ? literal(values) : values),
    parse: (text: string) => elements(text).map((each) => (each === null ? null : parse(each))),
  };
}

function literal(values: readonly unknown[]): string {
  const quoted = values.map((value) =>
    value === null ? 'null' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`,
  );
  return `{${quoted.join()}}`;
}

/** Of one dimension. */
function elements(text: string): (string | null)[] {
  const found = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|[^,]+/gs);
  return [...found].map(([whole, quoted]) => {
    if (quoted !== undefined) return quoted.replaceAll(/\\(.)/gs, '$1');
    return whole === 'NULL' ? null : whole;
  });
}
