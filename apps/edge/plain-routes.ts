import type { Endpoint } from './endpoint.ts';

/** An endpoint, and what the target says of its parameters. */
export interface Routed {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly pattern: string;
}

/** As Express and the traces that it names spell a path. */
export function expressPath({ path }: Pick<Endpoint, 'path'>): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

interface Leaf {
  readonly endpoint: Endpoint;
  readonly pattern: string;
  readonly names: readonly string[];
}

interface Branch {
  readonly named: Map<string, Branch>;
  any: Branch | undefined;
  readonly byMethod: Map<string, Leaf>;
}

/** The same characters in every spelling: nothing to decode, and nothing that ends a path. */
const plainValue = /^[\w-]+$/;

/**
 * Finds what a target asks for that is spelled in the plainest way: no query, and parameters that need
 * no decoding. Where a name and a parameter both fit, the name is meant. What it does not find may be a
 * route all the same, and is for Express to look for.
 */
export class PlainRoutes {
  readonly #root = newBranch();

  constructor(endpoints: readonly Endpoint[]) {
    for (const endpoint of endpoints) this.#add(endpoint);
  }

  find(method: string, target: string): Routed | undefined {
    if (!target.startsWith('/')) return undefined;
    const values: string[] = [];
    let branch = this.#root;
    for (const segment of target.slice(1).split('/')) {
      const named = branch.named.get(segment);
      const next = named ?? (plainValue.test(segment) ? branch.any : undefined);
      if (next === undefined) return undefined;
      if (named === undefined) values.push(segment);
      branch = next;
    }
    const leaf = branch.byMethod.get(method);
    if (leaf === undefined) return undefined;
    const { endpoint, pattern } = leaf;
    return { endpoint, pattern, params: paramsOf(leaf, values) };
  }

  #add(endpoint: Endpoint): void {
    const names: string[] = [];
    let branch = this.#root;
    for (const segment of endpoint.path.slice(1).split('/')) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) names.push(name);
      branch = name === undefined ? namedIn(branch, segment) : anyIn(branch);
    }
    const method = endpoint.method.toUpperCase();
    // Of two that take the same, the first is meant, as with Express.
    if (branch.byMethod.has(method)) return;
    branch.byMethod.set(method, { endpoint, names, pattern: expressPath(endpoint) });
  }
}

function newBranch(): Branch {
  return { named: new Map(), any: undefined, byMethod: new Map() };
}

function namedIn({ named }: Branch, segment: string): Branch {
  const known = named.get(segment);
  if (known !== undefined) return known;
  const branch = newBranch();
  named.set(segment, branch);
  return branch;
}

function anyIn(branch: Branch): Branch {
  branch.any ??= newBranch();
  return branch.any;
}

function paramsOf({ names }: Leaf, values: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (let at = 0; at < names.length; at++) params[names[at] ?? ''] = values[at] ?? '';
  return params;
}
