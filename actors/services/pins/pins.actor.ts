import type { Transaction } from '../../../infra/ports/sql.ts';
import { Fault } from '../../../machines/fault.ts';
import { isBanned } from '../is-banned.ts';
import type { ReplyOf } from '../messages.ts';
import type { Handlers, Transact } from '../service-handler.ts';
import type { pinsService } from './messages.ts';
import {
  type MinerVersion,
  type Qualifying,
  qualifyingNow,
  versionsOfMiner,
} from './miner-field.ts';
import { disabledReasonOf, wouldRace } from './selection.ts';
import { deletePin, holdRace, upsertPin } from './store.ts';

type Selection = ReplyOf<typeof pinsService, 'pin'>;

/**
 * Keeps which version each miner wants to race.
 *
 * 1. A change commits wholly before the close of qualifying or is refused: the transaction holds the
 *    race's row before it looks at anything else, and the close waits for it.
 * 2. From the instant at which qualifying is due to close every change is refused, so that no storm
 *    of pins holds the close off.
 */
export function createPinsService(deps: {
  readonly transact: Transact;
}): Handlers<typeof pinsService> {
  return {
    pin: ({ hotkey, agentVersionId }) =>
      deps.transact(async (tx) => {
        const qualifying = await unlockedQualifying(tx, hotkey);
        const versions = await versionsOfMiner(tx, hotkey);
        requirePinnable(versions, agentVersionId, qualifying);
        await upsertPin(tx, hotkey, agentVersionId);
        return await selectionAfter(tx, hotkey, qualifying);
      }),
    unpin: ({ hotkey }) =>
      deps.transact(async (tx) => {
        const qualifying = await unlockedQualifying(tx, hotkey);
        await deletePin(tx, hotkey);
        return await selectionAfter(tx, hotkey, qualifying);
      }),
  };
}

/** The race's row is locked first, and only then anything is read, the clock too. */
async function unlockedQualifying(tx: Transaction, hotkey: string): Promise<Qualifying> {
  await holdRace(tx);
  if (await isBanned(tx, hotkey)) throw new Fault('BANNED', 'This hotkey is banned.');
  const qualifying = await qualifyingNow(tx);
  if (qualifying === undefined) throw new Fault('NO_ACTIVE_SUITE', 'No suite is active now.');
  if (qualifying.race?.isLocked === true) {
    throw new Fault('RACE_LOCKED', 'Qualifying is closed; pins can change again after the race.');
  }
  return qualifying;
}

function requirePinnable(
  versions: readonly MinerVersion[],
  agentVersionId: string,
  qualifying: Qualifying,
): void {
  const version = versions.find((own) => own.agentVersionId === agentVersionId);
  if (version === undefined) {
    throw new Fault('AGENT_VERSION_NOT_FOUND', 'None of your agents has this version.');
  }
  const reason = disabledReasonOf(version, qualifying);
  if (reason === null) return;
  throw new Fault('NOT_PINNABLE', 'This version cannot race.', { pin_disabled_reason: reason });
}

async function selectionAfter(
  tx: Transaction,
  hotkey: string,
  qualifying: Qualifying,
): Promise<Selection> {
  const versions = await versionsOfMiner(tx, hotkey);
  const racing = wouldRace(versions, qualifying).racing;
  return {
    racing: racing && { agentVersionId: racing.agentVersionId, agentId: racing.agentId },
  };
}
