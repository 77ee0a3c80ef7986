import { z } from 'zod';
import { decodeHex, encodeHex } from '../crypto/hex.ts';
import { type Chain, ChainUnavailable, type Registration } from '../ports/chain.ts';
import { AnswerTooLong, callNode, type RpcCall, type RpcNode } from './json-rpc.ts';
import {
  accountIdBytes,
  decodeAccountId,
  decodeAccountIds,
  decodeBools,
  decodeU16,
  decodeU64,
} from './scale.ts';
import { storageKeys } from './storage-keys.ts';

/** Of one coldkey: their list goes with each claim, and must be no burden to the broker. */
export const ownedHotkeysMax = 4096;

export interface RpcChainOptions extends RpcNode {
  readonly netuid: number;
}

/**
 * One subnet, read from a Substrate node.
 *
 * A block may come between two reads, and with it another holder of the same seat. A registration
 * is told only when the seat, read last, still names the hotkey: nobody is given the permit of the
 * one who sat there before.
 */
export function createRpcChain(options: RpcChainOptions): Chain {
  return {
    registration: async (hotkeyHex) => {
      const hotkey = hotkeyOf(hotkeyHex);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const found = await unlessUnreadable(() => readRegistration(options, hotkey));
        if (found !== 'changed') return found;
      }
      throw new ChainUnavailable('what the node says of one hotkey does not agree');
    },
    blockNumber: async () => {
      const [header] = await askSynced(options, [{ method: 'chain_getHeader', params: [] }]);
      return await unlessUnreadable(() => Number.parseInt(headerShape.parse(header).number, 16));
    },
  };
}

const headerShape = z.object({ number: z.string().regex(/^0x[0-9a-f]{1,12}$/) });
const storedValue = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .nullable();

async function readRegistration(
  chain: RpcChainOptions,
  hotkey: Uint8Array,
): Promise<Registration | 'changed' | undefined> {
  const { netuid } = chain;
  const [uidValue, permits, stake, coldkey] = await readStorage(chain, [
    storageKeys.uid(netuid, hotkey),
    storageKeys.validatorPermits(netuid),
    storageKeys.stake(hotkey, netuid),
    storageKeys.coldkey(hotkey),
  ]);
  if (uidValue === undefined) return undefined;
  const uid = decodeU16(uidValue);
  const validatorPermit = permits !== undefined && decodeBools(permits)[uid] === true;
  const owner = coldkey === undefined ? undefined : decodeAccountId(coldkey);
  const { holder, block, ownedHotkeys } = await readSeat(chain, {
    uid,
    owner: validatorPermit ? owner : undefined,
  });
  if (holder === undefined || !Buffer.from(hotkey).equals(holder)) return 'changed';
  return {
    uid,
    validatorPermit,
    // The chain stores no zeros: what is absent is its default.
    stake: stake === undefined ? 0n : decodeU64(stake),
    coldkey: owner === undefined ? null : encodeHex(owner),
    ownedHotkeys,
    registeredAtBlock: block === undefined ? 0 : Number(decodeU64(block)),
  };
}

/**
 * How many hotkeys a coldkey owns is of its own making. A list that makes the answer too long is its
 * owner's trouble and no outage of the node, which would keep everybody new out: all else is asked again.
 */
async function readSeat(
  chain: RpcChainOptions,
  { uid, owner }: { readonly uid: number; readonly owner: Uint8Array | undefined },
) {
  const { netuid } = chain;
  const seat = [storageKeys.hotkey(netuid, uid), storageKeys.blockAtRegistration(netuid, uid)];
  try {
    const list = owner === undefined ? [] : [storageKeys.ownedHotkeys(owner)];
    const [holder, block, owned] = await readStorage(chain, [...seat, ...list]);
    return { holder, block, ownedHotkeys: hotkeysIn(owned) };
  } catch (error) {
    if (owner === undefined || !(error instanceof AnswerTooLong)) throw error;
    const [holder, block] = await readStorage(chain, seat);
    return { holder, block, ownedHotkeys: null };
  }
}

/** Null where there are too many of them. */
function hotkeysIn(owned: Uint8Array | undefined): readonly string[] | null {
  if (owned === undefined) return [];
  const hotkeys = decodeAccountIds(owned);
  return hotkeys.length > ownedHotkeysMax ? null : hotkeys.map(encodeHex);
}

async function readStorage(
  chain: RpcChainOptions,
  keys: readonly string[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const calls = keys.map((key) => ({ method: 'state_getStorage', params: [key] }));
  const values = await askSynced(chain, calls);
  return values.map((value) => {
    const text = storedValue.parse(value ?? null);
    return text === null ? undefined : decodeHex(text.slice(2));
  });
}

/**
 * What a node says while it catches up is of weeks ago: who has a permit, and a first epoch so low that
 * standings, which believe no jump, would never come up to the chain's again. One that does not say whether
 * it does is believed.
 */
async function askSynced(node: RpcNode, calls: readonly RpcCall[]): Promise<readonly unknown[]> {
  const asked = { method: 'system_health', params: [], isOptional: true };
  const [health, ...results] = await callNode(node, [asked, ...calls]);
  if (healthShape.safeParse(health).data?.isSyncing === true) {
    throw new ChainUnavailable('the chain node is catching up');
  }
  return results;
}

const healthShape = z.object({ isSyncing: z.boolean() });

/** A node that speaks of something else than a Subtensor chain is as good as none. */
async function unlessUnreadable<Result>(read: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    throw new ChainUnavailable('the chain node says what cannot be read', { cause: error });
  }
}

function hotkeyOf(hotkeyHex: string): Uint8Array {
  const hotkey = decodeHex(hotkeyHex);
  if (hotkey?.length !== accountIdBytes) throw new TypeError(`no public key in hex: ${hotkeyHex}`);
  return hotkey;
}
