import type { Role } from '../../../apps/edge/endpoint.ts';
import { type DescribedOperation, operationsOf } from '../../../apps/edge/openapi/api-document.ts';
import { pathOf } from '../cell-requests.ts';
import type { Material } from '../material.ts';

export interface Route {
  readonly method: string;
  readonly target: string;
  readonly described: DescribedOperation;
}

/** Routes that one of these roles may use, with ids that are nobody's. */
export function routesOf(
  { document }: Material,
  ...roles: readonly Role[]
): readonly [Route, ...Route[]] {
  const [first, ...rest] = operationsOf(document)
    .filter(({ operation }) => roles.includes(operation['x-role']))
    .map((described) => ({
      method: described.method.toUpperCase(),
      target: pathOf(described, { name: '', openTo: 'nobody', ids: {} }),
      described,
    }));
  if (first === undefined) throw new Error(`the document has no routes for ${roles.join()}`);
  return [first, ...rest];
}

/** The same, those more often that decide scores and money. */
export function soughtRoutes(
  material: Material,
  ...roles: readonly Role[]
): readonly [Route, ...Route[]] {
  const all = routesOf(material, ...roles);
  const sought = all.filter(({ target }) => valued.test(target));
  const often = Math.ceil((2 * all.length) / Math.max(1, sought.length));
  return [...all, ...Array.from({ length: often }, () => sought).flat()];
}

const valued = /heartbeat|progress|complete$|episode-results|weight-salt/;

/** Answers of a guarded route to who is not let in. */
export const shut = [401, 403] as const;
