import test from 'ava';
import { Draft as EvalDraft } from '../../actors/lease-manager/draft.ts';
import { PartitionState } from '../../actors/lease-manager/partition-state.ts';
import { Draft as RaceDraft } from '../../actors/race-coordinator/draft.ts';
import { RacesOfPartition } from '../../actors/race-coordinator/race-state.ts';
import { idsWithin, uuidV5 } from '../../infra/ids/ids.ts';
import { evalPart, evalPolicy, versionIdAt } from '../support/eval-world.ts';
import { trialPolicy } from '../support/trial-races.ts';

const nowMs = 1_800_000_000_000;
const ids = { uuidV5, idsWithin };
const agentVersionId = versionIdAt(1);
const raceId = versionIdAt(2);

function evalDraft(): EvalDraft {
  const state = new PartitionState(evalPolicy);
  const command = { id: versionIdAt(3), type: 'x', body: {}, account: 'tester', trace: {} };
  return new EvalDraft({ part: evalPart, state, policy: evalPolicy, ids, nowMs }, command);
}

function raceDraft(): RaceDraft {
  const none = new Map();
  const grounds = { suites: none, fields: none, results: none, heldOut: none, finished: none };
  return new RaceDraft({
    part: 1,
    races: new RacesOfPartition(none),
    grounds: { ...grounds, reign: null },
    configured: { ...trialPolicy, requiredSuccessesQualifying: 2, embargoMs: 0 },
    close: { closeTime: '12:00', timeZone: 'America/Los_Angeles' },
    ids,
    rank: (_, text) => text,
    servedSinceMs: nowMs,
    nowMs,
  });
}

test('a message alone is something to write', (t) => {
  const ofEval = evalDraft();
  ofEval.tellRaces(1, 'version-discarded', { agentVersionId, atMs: nowMs });
  const ofRace = raceDraft();
  ofRace.tellEval('race-ended', [agentVersionId], { raceId, reason: 'RACE_COMPLETE' });

  for (const draft of [ofEval, ofRace]) t.is(draft.adopt()?.outbox.length, 1);
});

test('a row alone is something to write', (t) => {
  const ofEval = evalDraft();
  ofEval.operation('shorten_cooldown', { miner_hotkey: 'miner' });
  const ofRace = raceDraft();
  ofRace.operation('top_kept', [{ agent_version_id: agentVersionId, score: '0.7000' }]);

  t.deepEqual(Object.keys(ofEval.adopt()?.operations ?? {}), ['shorten_cooldown']);
  t.deepEqual(Object.keys(ofRace.adopt()?.operations ?? {}), ['top_kept']);
});

// An inbox row of an attempt that led to nothing would be the answer to the next one.
test('what a commit would depend on is nothing to write, but goes with what is', (t) => {
  const holds = (isWriting: boolean) => {
    const ofEval = evalDraft();
    ofEval.requireUnbanned('validator');
    ofEval.requireRunning({ raceId, rejudges: null });
    const ofRace = raceDraft();
    ofRace.hold({
      race_id: raceId,
      suite_id: 1,
      suite_is_active: true,
      suite_activated_at_ms: 0,
    });
    ofRace.operation('race_elimination', []);
    if (isWriting) {
      ofEval.tellRaces(1, 'version-discarded', { agentVersionId, atMs: nowMs });
      ofRace.publish('race-cancelled', raceId, { raceId });
    }
    return [ofEval, ofRace].map((draft) => draft.adopt()?.operations);
  };

  t.deepEqual(holds(false), [undefined, undefined]);
  const [ofEval, ofRace] = holds(true);
  t.is(ofEval?.['act']?.length, 1);
  t.is(ofEval?.['race_gate']?.length, 1);
  t.is(ofRace?.['race_hold']?.length, 1);
});
