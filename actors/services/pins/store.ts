import type { Transaction } from '../../../infra/ports/sql.ts';

export const tables = ['race_pin'] as const;

/** The same pin again keeps its time. */
export async function upsertPin(
  tx: Transaction,
  hotkey: string,
  agentVersionId: string,
): Promise<void> {
  await tx`
    insert into race_pin as pin (miner_hotkey, agent_version_id, pinned_at)
    values (${hotkey}, ${agentVersionId}, rt.clock())
    on conflict (miner_hotkey) do update
    set agent_version_id = excluded.agent_version_id, pinned_at = excluded.pinned_at
    where pin.agent_version_id <> excluded.agent_version_id`;
}

export async function deletePin(tx: Transaction, hotkey: string): Promise<void> {
  await tx`delete from race_pin where miner_hotkey = ${hotkey}`;
}

/**
 * Holds the active suite's unfinished race as it is until the transaction ends: its close, its end
 * and its cancellation wait. Undefined where there is none. A race that ended while this waited has
 * left the next one behind, which only another look can see.
 */
export async function holdRace(tx: Transaction): Promise<string | undefined> {
  const unfinished = tx`
    from race r
    join suite s on s.suite_id = r.suite_id
    where s.is_active and r.status in ('QUALIFYING_OPEN', 'QUALIFYING_CLOSED', 'RACE_RUNNING')`;
  for (;;) {
    // In turn with a close that waits, or pins without end would come past it.
    const next =
      await tx`select pg_advisory_xact_lock_shared(rt.race_turn(r.race_id)) ${unfinished}`;
    if (next.length === 0) return undefined;
    const [held] = await tx<{ raceId: string }[]>`
      select r.race_id as "raceId" ${unfinished} for share of r`;
    if (held !== undefined) return held.raceId;
  }
}
