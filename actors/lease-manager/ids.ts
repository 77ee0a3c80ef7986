/** Derives ids: the same namespace and name give the same id. */
export interface Ids {
  uuidV5(namespace: string, name: string): string;
  /** Of what belongs to one thing. */
  idsWithin(outer: string): (inner: string) => string;
}

type NamedIds = Pick<Ids, 'uuidV5'>;

/** The namespace of every id that the eval partition derives. */
export const idNamespace = '5d0c5c52-6f0b-5a67-9f5c-0d6a6e1c2b7a';

/** The ids that one command gives out, counted from 1. */
export function nthId(ids: NamedIds, commandId: string, count: number): string {
  return ids.uuidV5(idNamespace, `${commandId}:${count}`);
}

/** The run of a claim, which gives out its id before any other. */
export function claimedRunId(ids: NamedIds, commandId: string): string {
  return nthId(ids, commandId, 1);
}
