import type { Transaction } from '../../../infra/ports/sql.ts';
import type { PinDisabledReason } from '../../../machines/race/pinnable.ts';
import { refusal } from '../../../machines/refusal.ts';
import { isCarriedOut } from '../carried-out-store.ts';
import { isBanned } from '../is-banned.ts';
import type { ReplyOf } from '../messages.ts';
import type { CommandFacts, Handlers, Transact } from '../service-handler.ts';
import type { pinsService } from './messages.ts';
import {
  candidatesOfMiner,
  type MinerVersion,
  type Qualifying,
  qualifyingNow,
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
 * 3. A change is made once. Whoever reads it again is told what is so now, also after the close.
 */
export function createPinsService(deps: {
  readonly transact: Transact;
}): Handlers<typeof pinsService> {
  return {
    pin: ({ hotkey, agentVersionId }, command) =>
      deps.transact((tx) =>
        changed(tx, { hotkey, command }, async (qualifying) => {
          const versions = await candidatesOfMiner(tx, hotkey, agentVersionId);
          requirePinnable(versions, agentVersionId, qualifying);
          await upsertPin(tx, hotkey, agentVersionId);
        }),
      ),
    unpin: ({ hotkey }, command) =>
      deps.transact((tx) => changed(tx, { hotkey, command }, () => deletePin(tx, hotkey))),
  };
}

/** The race's row is locked first, and only then anything is read, the clock too. */
async function changed(
  tx: Transaction,
  { hotkey, command }: { readonly hotkey: string; readonly command: CommandFacts },
  change: (qualifying: Qualifying) => Promise<void>,
): Promise<Selection> {
  await holdRace(tx);
  const isRepeat = await isCarriedOut(tx, command.id);
  const qualifying = await qualifyingNow(tx);
  if (!isRepeat) {
    await requireNoBan(tx, hotkey);
    requireUnlocked(qualifying);
    await change(qualifying);
  }
  return await selectionNow(tx, hotkey, qualifying);
}

async function requireNoBan(tx: Transaction, hotkey: string): Promise<void> {
  if (await isBanned(tx, hotkey)) throw refusal('BANNED');
}

function requireUnlocked(qualifying: Qualifying | undefined): asserts qualifying is Qualifying {
  if (qualifying === undefined) throw refusal('NO_ACTIVE_SUITE');
  if (qualifying.race?.isLocked === true) {
    throw refusal('RACE_LOCKED');
  }
}

function requirePinnable(
  versions: readonly MinerVersion[],
  agentVersionId: string,
  qualifying: Qualifying,
): void {
  const version = versions.find((own) => own.agentVersionId === agentVersionId);
  if (version === undefined) {
    throw refusal('AGENT_VERSION_NOT_FOUND', {
      says: 'None of your agents has this version.',
      next: 'Take the id from GET /v1/miner/agents/{agent_id}/versions.',
    });
  }
  const reason = disabledReasonOf(version, qualifying);
  if (reason === null) return;
  throw refusal('NOT_PINNABLE', {
    says: whyNot[reason],
    extras: { pin_disabled_reason: reason },
  });
}

const whyNot: Readonly<Record<PinDisabledReason, string>> = {
  discarded: 'This version cannot race: it was discarded.',
  superseded_suite: 'This version cannot race: it is of a suite that is no longer active.',
  eliminated: 'This version cannot race: it was eliminated.',
  not_eligible:
    'This version cannot race yet: it is not eligible until its evaluation has ended well.',
  below_threshold: 'This version cannot race: its qualifying score is below the threshold.',
};

async function selectionNow(
  tx: Transaction,
  hotkey: string,
  qualifying: Qualifying | undefined,
): Promise<Selection> {
  if (qualifying === undefined) return { racing: null };
  const versions = await candidatesOfMiner(tx, hotkey);
  const racing = wouldRace(versions, qualifying).racing;
  return {
    racing: racing && { agentVersionId: racing.agentVersionId, agentId: racing.agentId },
  };
}
