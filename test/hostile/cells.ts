import type { Owner, Role } from '../../apps/edge/endpoint.ts';
import {
  type ApiDocument,
  type DescribedOperation,
  operationsOf,
} from '../../apps/edge/openapi/api-document.ts';

/** Who asks, by what they hold; what they may by their role, and which objects are theirs. */
export interface CellCaller {
  readonly name: string;
  /** Undefined for whoever no route but the public ones is open to. */
  readonly role: Exclude<Role, 'public' | 'hotkey'> | undefined;
  /** The party whose objects are this caller's: a scheme or a session more is not another party. */
  readonly party: string;
  /** Fresh ones each time: what is signed counts once. */
  readonly headers: () => Record<string, string>;
}

/** An object that requests may name: in the path, or in the body. */
export interface CellObject {
  readonly name: string;
  /** The party that may, `everybody` who has the role, or `nobody`. */
  readonly openTo: string;
  readonly ids: Readonly<Record<string, string>>;
}

export interface Cell {
  readonly title: string;
  readonly described: DescribedOperation;
  readonly caller: CellCaller;
  readonly object: CellObject;
  readonly isOpen: boolean;
}

/** Operations of which the document does not say to whom they are open. */
export function undeclared(document: ApiDocument): readonly string[] {
  return operationsOf(document)
    .filter(({ operation }) => {
      const { 'x-role': role, 'x-owner': owner } = operation;
      return role === undefined || (role !== 'operator' && owner === undefined);
    })
    .map(({ operation }) => operation.operationId);
}

export type ObjectsByOwner = Readonly<
  Record<Exclude<Owner, 'nobody' | 'caller'>, readonly CellObject[]>
>;

/** Every cell of role × route × owner; those of a new route come by themselves. */
export function cellsOf(
  document: ApiDocument,
  by: { readonly callers: readonly CellCaller[]; readonly objects: ObjectsByOwner },
): readonly Cell[] {
  return operationsOf(document).flatMap((described) => {
    const { 'x-owner': owner = 'nobody' } = described.operation;
    const isOwned = owner !== 'nobody' && owner !== 'caller';
    const objects = isOwned ? by.objects[owner] : [unowned];
    return by.callers.flatMap((caller) =>
      objects.map((object) => cellOf(described, caller, object)),
    );
  });
}

/** Where no object is anybody's: whatever stands in the path. */
const unowned: CellObject = { name: 'any object', openTo: 'everybody', ids: {} };

function cellOf(described: DescribedOperation, caller: CellCaller, object: CellObject): Cell {
  const { method, path, operation } = described;
  const isOpen =
    hasRole(operation['x-role'], caller) &&
    (object.openTo === 'everybody' || object.openTo === caller.party);
  const title = `${caller.name}: ${method.toUpperCase()} ${path}, ${object.name}`;
  return { title, described, caller, object, isOpen };
}

function hasRole(role: Role, { role: own }: CellCaller): boolean {
  if (role === 'public') return true;
  if (role === 'hotkey') return own === 'miner' || own === 'validator';
  return role === own;
}
