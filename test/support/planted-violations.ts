import type { Sql } from '../../infra/ports/sql.ts';

type Plant = (sql: Sql) => Promise<unknown>;

const events = (sql: Sql, machine: string) => sql`kind = 'eval' and machine = ${machine}`;
const oneRun = (sql: Sql) => sql`
  (select eval_run_id from evaluation_run
  where status = 'SUCCESS' and is_included and phase = 'QUALIFYING'
  order by eval_run_id limit 1)`;

/** Adds to what the snapshots of a machine say of one thing. */
const bentSnapshot =
  (machine: string, path: readonly string[]): Plant =>
  (sql) =>
    sql`
    update rt.snapshot
    set context = jsonb_set(context, ${[...path]}::text[],
      to_jsonb((context #>> ${[...path]}::text[])::numeric + 1))
    where machine = ${machine} and context #>> ${[...path]}::text[] is not null`;

const leases: Readonly<Record<string, Plant>> = {
  'live runs and included successes of a work item stay within the required ones': (sql) => sql`
    update work_item set required_successes = included_success_count - 1
    where state = 'CLOSED' and included_success_count > 1`,
  'a work item counts the live runs that it has': (sql) => sql`
    update work_item set live_count = live_count + 1 where state = 'CLOSED'`,
  'at every event a work item has as many leases as it may have, with growing fences': (sql) => sql`
    update rt.event set payload = jsonb_set(payload, '{work,requiredSuccesses}', '1')
    where ${events(sql, 'work-item')} and type = 'OPENED'`,
  'no two runs of a work item have one fence, and the next one is above them all': (sql) => sql`
    update work_item set next_fence = 1 where state = 'CLOSED'`,
  'the fence of a work item grows with each claim': (sql) => sql`
    update rt.event set payload = jsonb_set(payload, '{fence}', '1')
    where ${events(sql, 'work-item')} and type = 'LEASED'`,
  'what validators tell of a run is told by the one that holds it': (sql) => sql`
    update rt.event set account = 'somebody'
    where ${events(sql, 'evaluation-run')} and type = 'SUCCEEDED'`,
  'no result and no progress is committed after the end of its run': (sql) => sql`
    update episode_result set created_at = created_at + interval '1 day'
    where eval_run_id = ${oneRun(sql)}`,
  'a run ends once, and its row says how': (sql) => sql`
    insert into rt.event select kind, part, machine, key, seq + 100, actor_key, 'STALED', type_version,
      payload, command_id, account, epoch, trace, at
    from rt.event where ${events(sql, 'evaluation-run')} and type = 'SUCCEEDED' limit 1`,
  'a completed run keeps its first answer for equal repeats': (sql) => sql`
    update rt.snapshot set context = context #- '{completion}' where machine = 'evaluation-run'`,
  'a run has an end exactly when it is over, and a score only when it succeeded': async (sql) => {
    await sql`alter table evaluation_run drop constraint evaluation_run_live_until_completed`;
    await sql`update evaluation_run set completed_at = null where eval_run_id = ${oneRun(sql)}`;
  },
  'status, score and end of a run are what its machine ended with': (sql) => sql`
    update evaluation_run set score_micro = (score_micro + 1) % 1000000
    where eval_run_id = ${oneRun(sql)}`,
  'no run goes stale before the end that its last heartbeat promised': async (sql) => {
    await sql`
      update evaluation_run set status = 'STALE', end_reason = 'LEASE_EXPIRED'
      where eval_run_id = ${oneRun(sql)}`;
    await sql`
      insert into run_beat (eval_run_id, part, beat_at, lease_until)
      select eval_run_id, part, completed_at, completed_at + interval '1 second'
      from evaluation_run where status = 'STALE' and end_reason = 'LEASE_EXPIRED'
      on conflict (eval_run_id) do update set lease_until = excluded.lease_until`;
  },
  'no live run is a minute past its lease': (sql) => sql`
    update evaluation_run set status = 'RUNNING', completed_at = null,
      lease_expires_at = claimed_at - interval '1 day'
    where eval_run_id = ${oneRun(sql)}`,
  'no run ends for its length, or for want of progress, before it has had that time': (sql) => sql`
    update rt.event set type = 'STALED',
      payload = jsonb_build_object('at', payload -> 'at', 'reason', 'NO_PROGRESS')
    where ${events(sql, 'evaluation-run')} and type = 'SUCCEEDED'`,
  'no live run has had twice the time that it may take, or may be without progress': (sql) => sql`
    update evaluation_run set status = 'RUNNING', completed_at = null,
      claimed_at = claimed_at - interval '5 hours'
    where eval_run_id = ${oneRun(sql)}`,
  'no run goes stale before the end that its claim or its progress promised': (sql) => sql`
    update rt.event set type = 'STALED',
      payload = jsonb_build_object('at', payload -> 'at', 'reason', 'LEASE_EXPIRED')
    where ${events(sql, 'evaluation-run')} and type = 'SUCCEEDED'`,
  'a claim is a run, a lease of its work, and one of the slots of its validator': (sql) => sql`
    update evaluation_run set validator_hotkey = 'somebody' where eval_run_id = ${oneRun(sql)}`,
  'no validator has two live runs in one of its slots': async (sql) => {
    await sql`drop index evaluation_run_slot, evaluation_run_one_live`;
    await sql`update evaluation_run set status = 'RUNNING', completed_at = null, slot = 0`;
  },
  'nobody is given discarded work, or work that it has succeeded with already': (sql) => sql`
    update agent_version set discarded_at = submitted_at`,
  'a run is of the phase, the race and the version of its work, while that race runs': (sql) => sql`
    update evaluation_run set claimed_at = claimed_at - interval '1 day' where race_id is not null`,
  'no run is of the hotkey that submitted its version': (sql) => sql`
    update evaluation_run r set validator_hotkey = v.miner_hotkey
    from agent_version v
    where v.agent_version_id = r.agent_version_id and r.eval_run_id = ${oneRun(sql)}`,
  'work is of the hotkey and the coldkey that submitted its version': (sql) => sql`
    update work_item set miner_coldkey = 'another' where race_id is not null`,
};

const work: Readonly<Record<string, Plant>> = {
  'included successes are at most the required ones, and work that has them all is closed': (sql) =>
    sql`update work_item set included_success_count = required_successes + 1 where state = 'CLOSED'`,
  'work is closed exactly at its required successes, and ends below them for a reason only': (
    sql,
  ) => sql`update work_item set close_reason = null where state = 'CLOSED'`,
  'a work item counts the successes that are included in it': (sql) => sql`
    update evaluation_run set is_included = false where eval_run_id = ${oneRun(sql)}`,
  'what judges a run again counts only where it was applied, in the place of that run': (
    sql,
  ) => sql`
    update evaluation_run r set rejudging_id = gen_random_uuid(), judged_run_id = (
      select o.eval_run_id from evaluation_run o
      where o.work_item_id <> r.work_item_id and o.is_included limit 1)
    where r.eval_run_id = ${oneRun(sql)}`,
  'a version shows the counts of its qualifying runs, and nothing of a race': (sql) => sql`
    update agent_version set failed_run_count = failed_run_count + 1`,
  'a version becomes eligible once': (sql) => sql`
    insert into rt.event select kind, part, machine, key, seq + 100, actor_key, type, type_version,
      payload, command_id, account, epoch, trace, at
    from rt.event where ${events(sql, 'agent-version')} and type = 'BECAME_ELIGIBLE' limit 1`,
  'a version is eligible once its work is closed, and scored while it is': (sql) => sql`
    update agent_version set eligible_at = null`,
  'the score of a version is that of its included runs, computed again to the last bit': (
    sql,
  ) => sql`
    update agent_version
    set qualifying_score = (1 + qualifying_score * 10000)::integer % 10000 / 10000.0,
      final_score = (1 + final_score * 10000)::integer % 10000 / 10000.0`,
  'the score of a run is within [0, 1]': async (sql) => {
    await sql`alter table evaluation_run drop constraint evaluation_run_score_micro_check`;
    await sql`update evaluation_run set score_micro = 1000001 where eval_run_id = ${oneRun(sql)}`;
  },
  'the score of a run is the mean reward over all of its tasks, computed again': (sql) => sql`
    update evaluation_run set score_micro = (score_micro + 1) % 1000000
    where eval_run_id = ${oneRun(sql)}`,
  'no run succeeds without a score': (sql) => sql`
    update evaluation_run set score_micro = null where eval_run_id = ${oneRun(sql)}`,
  'as many results are stored as the events of their runs have taken in': (sql) => sql`
    delete from episode_result where eval_run_id = ${oneRun(sql)}`,
  'a run has one result of each task': async (sql) => {
    await sql`alter table episode_result drop constraint episode_result_pkey`;
    await sql`
      insert into episode_result select eval_run_id, task_id, gen_random_uuid(), part, family, outcome,
        verdict_correct, verdict_checks, reward_components, reward_micro, wall_seconds,
        terminal_state_hash, ledger_uri, step_count, created_at
      from episode_result limit 1`;
  },
  'a result is of a task of its run, and came while the run was held': (sql) => sql`
    update episode_result set task_id = task_id || '-of-another' where eval_run_id = ${oneRun(sql)}`,
  'a run counts the results that are stored for it': (sql) => sql`
    update evaluation_run set item_count = item_count + 1 where eval_run_id = ${oneRun(sql)}`,
};

const submissions: Readonly<Record<string, Plant>> = {
  'two accepted submissions of a hotkey are a cooldown apart, or a discard freed it sooner': (
    sql,
  ) => sql`update agent_version set miner_hotkey = (select min(hotkey) from miner)`,
  'an account has one spelling, so that no second one has a cooldown of its own': (sql) => sql`
    update miner set hotkey = hotkey || ' '`,
  'an accepted submission is one version and one work item, numbered without a gap': (sql) => sql`
    update agent_version set version_number = version_number + 10`,
  'a version was submitted once, with the code and by the miner that its row names': (sql) => sql`
    update agent_version set miner_hotkey = 'somebody'`,
  'the hash of a version’s code is the one that was submitted': (sql) => sql`
    update agent_version set code_sha256 = repeat('0', 64)`,
  'nothing was told before its release was due': (sql) => sql`
    update public_release set told_at = due_at - interval '1 second'`,
  'code is released at its age, or when its version became top before that': (sql) => sql`
    update public_release set due_at = due_at - interval '1 day'
    where kind = 'CODE' and reason = 'AGED' and told_at is null`,
  'no code is old enough to be released while its release is not even planned': async (sql) => {
    await sql`update agent_version set submitted_at = submitted_at - interval '5 days'`;
    await sql`delete from public_release where kind = 'CODE' and reason = 'AGED'`;
  },
  'the release of the code of every version is planned, for its age or for its reign': (sql) => sql`
    delete from public_release where kind = 'CODE' and reason = 'TOP'`,
  'no bundle was published before its race was released, an embargo after its end': (sql) => sql`
    update race set released_at = released_at - interval '1 second'`,
  'no suite of its pack showed a task of a race before the race was released': (sql) => sql`
    update suite_problem p set task_id = t.task_id
    from race_task t join race r on r.race_id = t.race_id
    where r.suite_id = p.suite_id and t.ordinal = 0 and p.phase = 'QUALIFYING'`,
  'no suite of another pack showed the goal of a race’s task before the race was released': async (
    sql,
  ) => {
    await sql`
      insert into suite (suite_version, execution_kind, benchmark_name, benchmark_number,
        env_pack_sha256, environment, qualifying_threshold, required_successes_qualifying,
        required_successes_race, created_at)
      select max(suite_version) + 1, 'envpack', 'Again', 1, ${'ab'.repeat(32)}, '{}', 0.55, 2, 2,
        min(created_at)
      from suite`;
    await sql`
      insert into suite_problem (suite_id, phase, ordinal, problem_id, task_id, goal_text, metadata)
      select s.suite_id, 'QUALIFYING', 1, gen_random_uuid(), 'renamed', o.goal_text, '{}'
      from suite s
      cross join pack_task o
      join (select task_id from race_task limit 1) t using (task_id)
      where s.benchmark_name = 'Again'`;
  },
};

const races: Readonly<Record<string, Plant>> = {
  'races of a suite are numbered from 1 without a gap, and one of them is not over at most': (
    sql,
  ) => sql`update race set race_number = race_number + 100`,
  'one race of a suite closes on each local date': (sql) => sql`
    update race set qualifying_closes_at = (select min(qualifying_closes_at) from race)`,
  'qualifying closes at the local time of the close, at the first one after the opening': (sql) =>
    sql`update race set qualifying_closes_at = qualifying_closes_at + interval '1 second'`,
  'a race goes forward only: open, closed, running, over': (sql) => sql`
    update race set started_at = completed_at + interval '1 second'`,
  'the fields of the newest 30 races are selected again from what stood at their close': (sql) =>
    sql`delete from race_entrant`,
  'nobody pinned or unpinned while qualifying was locked': async (sql) => {
    await sql`update race set completed_at = completed_at + interval '1 hour'`;
    await sql`
      insert into race_pin_change (miner_hotkey, agent_version_id, kind, changed_at)
      select e.miner_hotkey, e.agent_version_id, 'pin', r.closed_at + interval '1 minute'
      from race_entrant e join race r on r.race_id = e.race_id limit 1`;
  },
  'a version became eligible in one race, while its qualifying was open': (sql) => sql`
    update agent_version set eligible_at = eligible_at + interval '10 days'`,
  'nobody is in the field who became eligible for a later race, or was eliminated before': (sql) =>
    sql`update agent_version set eliminated_in_race_number = 0`,
  'the entrants of a race are those that its close fixed': (sql) => sql`
    delete from race_entrant where (race_id, agent_version_id) in (
      select race_id, agent_version_id from race_entrant limit 1)`,
  'every race that is over ended within its limit': (sql) => sql`
    update race set deadline_at = deadline_at - interval '1 day'`,
  'every race takes each step when it is due': (sql) => sql`
    update race set qualifying_closes_at = qualifying_closes_at - interval '30 days'
    where status = 'QUALIFYING_OPEN'`,
  'every race says of its steps and of its end what its events say': (sql) => sql`
    update race set cancelled_at = completed_at, cancel_reason = 'NO_ENTRANT'`,
  'a race is decided once, and crowns the one that it promoted and nobody else': (sql) => sql`
    delete from top_agent`,
  'the score of a race is that of its included runs, computed again to the last bit': (sql) => sql`
    update race_entrant set race_score = (1 + race_score * 10000)::integer % 10000 / 10000.0`,
  'anchor, deviation and Overall are computed again from the scores of the window': (sql) => sql`
    update race_entrant set weighted_score = weighted_score + 0.0001`,
  'a top was challenged at what it has just shown or else reigned with, by the margin of its age': (
    sql,
  ) => sql`
    update race set challenged_score = challenged_score + 0.0001`,
  'the winner became top where it beat the top by the margin, and nobody else': (sql) => sql`
    update race r set promoted_agent_version_id = e.agent_version_id
    from race_entrant e
    where e.race_id = r.race_id and e.race_rank = 2 and r.promoted_agent_version_id is not null`,
  // The winner where it does not reign itself.
  'those are paid who reign after the race and who survived it': (sql) => sql`
    update race_emission m
    set (agent_version_id, miner_hotkey) = (
      select e.agent_version_id, e.miner_hotkey
      from race_entrant e
      where e.race_id = m.race_id and e.agent_version_id <> m.agent_version_id
        and e.race_rank is not null
      order by e.race_rank
      limit 1)
    where m.seat = 'TOP'`,
  'the split of the emissions is computed again': (sql) => sql`
    update race_emission
    set units = units + case seat when 'TOP' then -5 when 'BURN' then 5 else 0 end`,
  'those with the lowest scores were eliminated': (sql) => sql`
    update race_entrant set is_eliminated = not is_eliminated`,
  'who finished and who did not, and why, is what their runs, discards and bans say': (sql) => sql`
    update race_entrant set race_score = null, unfinished_reason = 'AGENT_FAULT'
    where race_rank = 2`,
  'the finishers and the winner stand in the total order': (sql) => sql`
    update race_entrant set race_rank = race_rank + 1`,
  'there is one top at most at any time, and a top that is outranked has a successor': (sql) => sql`
    insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at,
      ended_at)
    select gen_random_uuid(), suite_id, agent_version_id, miner_hotkey, race_id, score,
      top_at - interval '1 hour', top_at + interval '1 second'
    from top_agent`,
  'a reign that a challenger ended ends where the next one begins': (sql) => sql`
    update top_agent set ended_at = top_at + interval '7 seconds', end_reason = 'OUTRANKED'`,
  'the emissions of a completed race sum to exactly 10^18 units, none of them negative': (sql) =>
    sql`update race_emission set units = units + 1 where seat = 'BURN'`,
  'the standings of an epoch have the hash that was recorded when they were made': (sql) => sql`
    update epoch_standings set body = body || ' '`,
  'standings that were made are stored, once for each epoch': (sql) => sql`
    delete from epoch_standings`,
  // A version that is owed nothing gets a share, and every record of the hash agrees.
  'the standings of the newest 60 epochs follow again from what stood when they were made': (
    sql,
  ) => sql`
    with bent as (
      update epoch_standings s
      set (body, body_sha256) = (
        select b.body, encode(sha256(convert_to(b.body, 'UTF8')), 'hex')
        from (
          select jsonb_insert(s.body::jsonb, '{epoch_standings,finishers,-1}',
            jsonb_build_object('miner_hotkey', v.miner_hotkey,
              'agent_version_id', v.agent_version_id, 'race_score', 0.1), true)::text as body
          from agent_version v
          where position(v.agent_version_id::text in s.body) = 0
          limit 1) b)
      where s.epoch_index = (select max(epoch_index) from epoch_standings)
      returning s.epoch_index::text as key, to_jsonb(s.body_sha256) as sha256
    ), told as (
      update rt.event e set payload = jsonb_set(e.payload, '{made,bodySha256}', bent.sha256)
      from bent where e.machine = 'emission' and e.key = bent.key)
    update rt.snapshot n set context = jsonb_set(n.context, '{made,bodySha256}', bent.sha256)
    from bent where n.machine = 'emission' and n.key = bent.key`,
  'later epochs were made later': (sql) => sql`
    insert into epoch_standings
    select epoch_index - 1, race_id, body, body_sha256, made_at + interval '1 second'
    from epoch_standings order by epoch_index limit 1`,
};

const people: Readonly<Record<string, Plant>> = {
  // A key that tells more than these two apart takes them again.
  'the database takes a nonce of a hotkey once': (sql) => sql`
    alter table nonce drop constraint nonce_pkey, add primary key (hotkey, nonce, batch_id)`,
  'a session was opened by a challenge of its hotkey that was consumed in time': (sql) => sql`
    insert into session (token_sha256, hotkey, role, created_at, expires_at)
    values (repeat('0', 64), 'somebody', 'miner', rt.clock(), rt.clock() + interval '1 hour')`,
  'a banned hotkey has no session': (sql) => sql`
    insert into hotkey_ban (hotkey, reason, banned_at)
    select hotkey, 'planted', rt.clock() from session group by hotkey on conflict do nothing`,
  'nothing of a banned hotkey was committed later than a second after its ban': (sql) => sql`
    insert into hotkey_ban (hotkey, reason, banned_at)
    select validator_hotkey, 'planted', min(claimed_at) - interval '1 day'
    from evaluation_run group by 1`,
  'challenges, sessions and inference tokens are kept as hashes alone': (sql) => sql`
    insert into session (token_sha256, hotkey, role, created_at, expires_at)
    values ('a token in the clear', 'somebody', 'miner', now(), now())`,
  'every text that opens with a key says with which': (sql) => sql`
    insert into inference_credential (miner_hotkey, provider, credential_id, sealed, updated_at)
    values ('somebody', 'providera', gen_random_uuid(), 'in the clear', now())`,
  'the chain of the audit log holds from its first entry to its last': (sql) => sql`
    update audit_log set actor = 'somebody' where seq = 1`,
  'times of the audit log follow its numbers': (sql) => sql`
    update audit_log set committed_at = committed_at + interval '10 days' where seq = 1`,
  'what only operators make has its one entry, of the same moment': (sql) => sql`
    delete from audit_log where action = 'suite.create'`,
  'what operators order of races, suites, packs and rejudgings has its entry before it': (
    sql,
  ) => sql`
    update race set pins_locked_at = closed_at where race_number = 1`,
  'what operators order of versions and runs has an entry for each time that it was done': (
    sql,
  ) => sql`
    insert into rt.event select kind, part, machine, key, seq + 100, actor_key, 'DISCARDED',
      type_version, jsonb_build_object('reason', 'it looks odd'), command_id, account, epoch, trace, at
    from rt.event where ${events(sql, 'agent-version')} and type = 'BECAME_ELIGIBLE' limit 1`,
  'a hotkey is banned exactly when the newest entry about its ban says so': (sql) => sql`
    update audit_log set action = 'hotkey.ban', object = 'hotkey/somebody' where seq = 1`,
  'no entry of the audit log holds a secret': (sql) => sql`
    update audit_log set detail = '{"api_key": "clear"}' where seq = 1`,
};

const machinery: Readonly<Record<string, Plant>> = {
  'no command had its effect in two commits': (sql) => sql`
    update rt.event set command_id = 'again' where kind = 'eval'`,
  'no machine has two events of one number': (sql) => sql`
    delete from rt.event where ${events(sql, 'work-item')} and seq = 1`,
  'no message waits for longer than a minute and a half': plantMessage,
  'nothing that is not over has lost its owner or missed its time': plantMessage,
  'no message was set aside': (sql) => sql`
    insert into rt.poison (msg_id, subject, headers, body, error, at)
    values ('planted', 'evt', '{}', '', 'it fails', now())`,
  'every partition, and so every live run, has a living owner': (sql) => sql`
    update rt.partition set owner = null, incarnation = null where kind = 'eval' and part = 7`,
  'the outbox is empty': plantMessage,
  'the epoch of a partition never decreases in commit order': (sql) => sql`
    update rt.event set epoch = epoch + 1000
    where ${events(sql, 'evaluation-run')} and type = 'CLAIMED'`,
  'no event is of an epoch that its partition has not reached': (sql) => sql`
    update rt.partition set epoch = 0`,
  'the epoch of a run never decreases over its events': (sql) => sql`
    update rt.event set epoch = epoch + 1000
    where ${events(sql, 'evaluation-run')} and type = 'CLAIMED'`,
  'the public feed has no gap': (sql) => sql`delete from public_event where cursor = 1`,
  'the public feed tells every fact of runs and submissions once': (sql) => sql`
    delete from public_event where type = 'run-claimed'`,
  'the snapshot of every agent-version is the fold of its events': bentSnapshot('agent-version', [
    'codeSizeBytes',
  ]),
  'the snapshot of every work-item is the fold of its events': bentSnapshot('work-item', [
    'troubles',
  ]),
  'the snapshot of every evaluation-run is the fold of its events': bentSnapshot('evaluation-run', [
    'tally',
    'rewardMicro',
  ]),
  'the snapshot of every race is the fold of its events': bentSnapshot('race', ['closesAt']),
  'the snapshot of every emission is the fold of its events': bentSnapshot('emission', [
    'made',
    'at',
  ]),
  'there is no snapshot without events': (sql) => sql`
    delete from rt.event where ${events(sql, 'evaluation-run')}`,
};

function plantMessage(sql: Sql): Promise<unknown> {
  return sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    values ('eval', 0, 'planted', 'evt.race.0.work-changed', 'race', 0, 'evt', '{}', '{}',
      clock_timestamp() - interval '1 hour', clock_timestamp() + interval '1 hour')`;
}

/** For each rule of the live check a way to break it, in a database where races were run. */
export const plantedViolations: Readonly<Record<string, Plant>> = {
  ...leases,
  ...work,
  ...submissions,
  ...races,
  ...people,
  ...machinery,
};
