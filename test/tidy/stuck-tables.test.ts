import test from 'ava';
import { stuckKinds } from '../../actors/services/stuck/kinds.ts';
import { sources } from './sources.ts';

/**
 * Every table of the database, with the kinds of stuck record that watch over it, or the reason why none
 * of its rows can wait for ever. Whoever adds a table says which.
 */
const watchedBy: Readonly<Record<string, string>> = {
  agent: 'none: a name, made with its first version',
  agent_version: 'agent-version, similarity',
  audit_log: 'none: a record',
  carried_out: 'none: a proof, taken away by later ones',
  challenge: 'unswept',
  episode_artifact: 'none: a record',
  episode_result: 'none: a record',
  epoch_standings: 'none: a record; the first who asks in an epoch makes it',
  evaluation_run: 'evaluation-run',
  hotkey_ban: 'none: in force until an operator takes it back; what it orders is a message',
  idempotency: 'unswept',
  inference_check: 'none: a note, taken away by later ones; a turn ends by the clock',
  inference_credential: 'none: the miner’s, until the miner takes it back',
  inference_default: 'none: a choice',
  inference_key: 'inference-key, key-at-provider',
  inference_overtaken_check: 'none: a note, taken away by later ones; a turn ends by the clock',
  inference_past_credential: 'inference-key, for which it is kept',
  inference_request: 'unswept',
  inference_snapshot: 'none: replaced by every poll; its age is shown with it',
  inference_token: 'inference-token',
  inference_usage: 'none: a record',
  miner: 'none: its cooldown ends by the clock',
  nonce: 'unswept',
  pack: 'none: a record',
  pack_delivery: 'none: a record',
  pack_task: 'none: a record',
  problem_progress: 'none: a record',
  public_event: 'public-release, webhook; a fact that is not told yet is a message',
  public_release: 'public-release',
  race: 'race, suite',
  race_bundle: 'race-bundle',
  race_emission: 'none: a record, made with the end of its race',
  race_entrant: 'race',
  race_fallback: 'race',
  race_pin: 'none: a wish, until the next close takes it',
  race_pin_change: 'none: a record',
  race_policy: 'none: a record',
  race_task: 'race',
  rejected_submission: 'none: a record',
  rejudging: 'rejudging',
  rejudging_run: 'rejudging',
  'rt.board_change': 'none: a note, taken away by later ones',
  'rt.clock_follower': 'none: of tests, with a lifetime',
  'rt.clock_offset': 'none: one number',
  'rt.event': 'none: a record',
  'rt.history': 'none: a database that went back has an alarm of its own, paddock.history.lost',
  'rt.inbox': 'none: a proof, deleted after a week',
  'rt.mark': 'none: a record; one that is late turns /health/deep red',
  'rt.member': 'member',
  'rt.outbox': 'message, order',
  'rt.partition': 'partition',
  'rt.poison': 'parked-message',
  'rt.snapshot': 'agent-version, work-item, evaluation-run, race',
  'rt.unserved': 'none: a record',
  run_beat: 'evaluation-run',
  schema_migration: 'none: a record',
  seal_key: 'none: paddock.sealed_texts shows what still waits for a rotation',
  seal_key_check: 'none: a record',
  session: 'session',
  similarity_again: 'similarity',
  similarity_code: 'similarity',
  similarity_fingerprint: 'similarity',
  similarity_version: 'similarity',
  suite: 'suite',
  suite_problem: 'none: a record',
  top_agent: 'none: it reigns until another does; races decide',
  validator: 'none: when it was seen last',
  webhook: 'webhook',
  work_item: 'work-item, work-without-validator',
};

const creation = /^create (?:unlogged )?table (?:if not exists )?([a-z_.]+)/gm;

function tablesOf(texts: readonly string[]): readonly string[] {
  const named = texts.flatMap((text) => [...text.matchAll(creation)].map(([, name = '']) => name));
  return [...new Set(named)].sort();
}

test('every table is watched for rows that wait for ever, or has none', (t) => {
  const migrations = sources('up.sql').map(({ lines }) => lines.join('\n'));
  // The migrations' own is made before the first of them.
  const tables = [...tablesOf(migrations), 'schema_migration'].sort();

  t.true(tables.length > 50);
  t.deepEqual(tables, Object.keys(watchedBy).sort());
});

test('what watches is there, and watches something', (t) => {
  const kinds = stuckKinds.map(({ kind }) => kind);
  const named = Object.values(watchedBy)
    .filter((text) => !text.startsWith('none: '))
    .flatMap((text) => text.split(/[,;] /).filter((part) => /^[a-z-]+$/.test(part)));

  t.deepEqual([...new Set(named)].sort(), [...kinds].sort());
});

test('a table that nobody thought of is seen', (t) => {
  t.deepEqual(tablesOf(['create table later (\n);\ncreate table rt.other (\n);']), [
    'later',
    'rt.other',
  ]);
});
