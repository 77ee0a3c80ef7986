import {
  refuseChangedKeys,
  type Seal,
  SealBroken,
  SealKeyChanged,
} from '../../../infra/ports/seal.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { SealedPlace } from './sealed-place.ts';
import { knownChecks, newestTexts, noteChecks } from './store.ts';

export interface KeyCheckDeps {
  /** As paddock_service. */
  readonly sql: Sql;
  readonly seal: Seal;
  readonly places: readonly SealedPlace[];
}

/** Of a place. Some of them may be damaged; that none opens is no chance. */
const triedMax = 100;

/**
 * Refuses a ring with a key that is not the one that its id stands for in this database.
 *
 * 1. An id stands for the key that was first noted under it, for ever: whoever rotates takes a new id.
 * 2. A key is noted before it seals anything here.
 * 3. Of texts that are older than the first note, the key has to open one.
 *
 * @throws SealKeyChanged
 */
export async function checkSealKeys(deps: KeyCheckDeps): Promise<void> {
  const { sql, seal } = deps;
  const known = await knownChecks(sql);
  refuseChangedKeys(seal, known);
  for (const keyId of seal.keyChecks.keys()) {
    if (!known.has(keyId) && (await opensNone(keyId, deps))) throw new SealKeyChanged(keyId);
  }
  await noteChecks(sql, seal.keyChecks);
  // Another process may have been first meanwhile, with another key.
  refuseChangedKeys(seal, await knownChecks(sql));
}

/** False where nothing stands under the id. */
async function opensNone(keyId: string, { sql, seal, places }: KeyCheckDeps): Promise<boolean> {
  let tried = 0;
  for (const place of places) {
    for (const { sealed, owner } of await newestTexts(sql, place, { keyId, limit: triedMax })) {
      if (opens(seal, sealed, place.context(owner))) return false;
      tried += 1;
    }
  }
  return tried > 0;
}

function opens(seal: Seal, sealed: string, context: string): boolean {
  try {
    seal.open(sealed, context);
    return true;
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
}
