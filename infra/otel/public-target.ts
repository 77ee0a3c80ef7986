/** A word of ours, a number, or an id; secrets that somebody wrote into an address are none of these. */
const plainSegment =
  /^(?:[a-z][a-z-]{0,23}|v\d|\d{1,15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|)$/;
const hidden = '[hidden]';

/** The path of an address as a trace may show it. */
export function publicPath(path: string): string {
  return path
    .split('/')
    .map((segment) => (plainSegment.test(segment) ? segment : hidden))
    .join('/');
}

/** Path and query of a request's target: of the query no more than that there was one. */
export function publicTarget(target: string): { readonly path: string; readonly query: string } {
  const [path = '', ...query] = target.split('?');
  return { path: publicPath(path), query: query.length === 0 ? '' : hidden };
}
