import { type Check, inPages, within } from './check.ts';

/**
 * INV-10: nobody judges what is its own. Which coldkey a validator had when it claimed is kept nowhere, and the one of
 * today may be another; so what is shown is that each work names the coldkey by which its claims are judged.
 */
export const strangerChecks: readonly Check[] = [
  {
    id: 'INV-10',
    rule: 'no run is of the hotkey that submitted its version',
    of: 'evaluation_run',
    find: inPages(
      'evaluation_run',
      'eval_run_id',
      (sql, page) => sql`
        select r.eval_run_id, r.validator_hotkey, r.claimed_at
        from evaluation_run r
        join agent_version v on v.agent_version_id = r.agent_version_id
        where ${within(sql, 'r.eval_run_id', page)} and r.validator_hotkey = v.miner_hotkey`,
    ),
  },
  {
    id: 'INV-10',
    rule: 'work is of the hotkey and the coldkey that submitted its version',
    of: 'work_item',
    find: inPages(
      'work_item',
      'work_item_id',
      (sql, page) => sql`
        select w.work_item_id, w.phase, w.miner_hotkey, w.miner_coldkey,
          s.context ->> 'minerColdkey' as told_coldkey,
          v.context ->> 'minerHotkey' as submitted_by, v.context ->> 'minerColdkey' as coldkey
        from work_item w
        join rt.snapshot s on s.kind = 'eval' and s.part = w.part and s.machine = 'work-item'
          and s.key = w.work_item_id::text
        join rt.snapshot v on v.kind = 'eval' and v.part = w.part and v.machine = 'agent-version'
          and v.key = w.agent_version_id::text
        where ${within(sql, 'w.work_item_id', page)}
          and ((w.miner_hotkey, w.miner_coldkey)
              is distinct from (v.context ->> 'minerHotkey', v.context ->> 'minerColdkey')
            or (s.context ->> 'minerHotkey', s.context ->> 'minerColdkey')
              is distinct from (v.context ->> 'minerHotkey', v.context ->> 'minerColdkey'))`,
    ),
  },
];
