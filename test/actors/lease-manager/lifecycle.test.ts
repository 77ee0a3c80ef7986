import test from 'ava';
import {
  EvalWorld,
  episode,
  evalPolicy,
  packSha256,
  problemIdOf,
  stateHash,
  submission,
  suiteOf,
} from '../../support/eval-world.ts';

const results = [episode(0), episode(1), episode(2)];

function success(world: EvalWorld, validatorHotkey: string): Record<string, unknown> {
  const own = world.run(validatorHotkey);
  world.append(own, results);
  return world.complete(own);
}

test('a version is eligible with its last required success, and says so once', (t) => {
  const world = new EvalWorld();
  world.submit(1);

  const first = success(world, 'val-a');
  const second = success(world, 'val-b');

  t.like(first, {
    status: 'SUCCESS',
    includedSuccessCount: 1,
    isClosed: false,
    becameEligible: false,
    finalScore: null,
  });
  t.like(second, {
    includedSuccessCount: 2,
    requiredSuccesses: 2,
    isClosed: true,
    becameEligible: true,
    finalScore: '0.5000',
  });
  t.is(world.version(1).version.state.value, 'eligible');
  t.is(world.claim('val-c'), null);
});

test('an equal completion gets the first answer again, another one is refused', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');
  world.append(own, results);
  const sandboxMetadata = { exit_code: 0, duration_seconds: 1 };
  const done = world.complete(own, { sandboxMetadata });

  const reordered = { duration_seconds: 1, exit_code: 0 };
  t.deepEqual(world.complete(own, { sandboxMetadata: reordered }), done);
  t.is(
    world.refusal('complete-run', {
      ...own,
      terminalStatus: 'SUCCESS',
      scoreMicro: 1,
      scoreComponents: null,
      resultsS3Key: null,
      failureReason: null,
      failureClass: null,
      sandboxMetadata,
    }).code,
    'RUN_ALREADY_COMPLETE',
  );
  t.is(world.decisions.at(-1)?.changes, undefined);
});

const body = {
  scoreComponents: null,
  resultsS3Key: null,
  failureReason: null,
  failureClass: null,
  sandboxMetadata: null,
};

test('a success that cannot stand leaves its run live', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');
  world.append(own, [episode(0)]);
  const complete = (scoreMicro: number | null) => ({
    ...own,
    ...body,
    terminalStatus: 'SUCCESS',
    scoreMicro,
  });

  t.is(world.refusal('complete-run', complete(null)).code, 'MISSING_SCORE');
  t.deepEqual(world.refusal('complete-run', complete(500_000)), {
    code: 'RESULTS_INCOMPLETE',
    extras: { missing_count: 2, missing_task_ids: ['task-1', 'task-2'] },
  });
  world.append(own, [episode(1), episode(2, { rewardMicro: 500_001 })]);
  t.deepEqual(world.refusal('complete-run', complete(500_002)), {
    code: 'SCORE_MISMATCH',
    extras: { expected_score: 0.5 },
  });
  t.is(world.complete(own)['status'], 'SUCCESS');
});

test('completions of runs that are unknown, foreign or over are refused', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');
  const failed = { ...body, terminalStatus: 'FAILED', scoreMicro: null };

  t.is(
    world.refusal('complete-run', { ...own, ...failed, evalRunId: submission(9).agentId }).code,
    'EVAL_RUN_NOT_FOUND',
  );
  t.is(
    world.refusal('complete-run', { ...own, ...failed, validatorHotkey: 'thief' }).code,
    'NOT_RUN_OWNER',
  );
  world.nowMs += evalPolicy.claimLeaseMs;
  t.deepEqual(world.refusal('complete-run', { ...own, ...failed }), {
    code: 'NOT_RUN_OWNER',
    extras: { run_status: 'STALE' },
  });
  world.pass(0);
  t.deepEqual(world.refusal('complete-run', { ...own, ...failed }), {
    code: 'NOT_RUN_OWNER',
    extras: { run_status: 'STALE' },
  });
});

test('an exploit fails a success and discards the version at once', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const other = world.run('val-b');
  const own = world.run('val-a');
  world.append(own, [
    episode(0, { outcome: 'exploit', verdictCorrect: false, rewardMicro: null }),
    episode(1),
    episode(2),
  ]);

  const reply = world.complete(own);

  t.like(reply, { status: 'FAILED', becameEligible: false, isClosed: true });
  t.is(world.runState(own).context.faultClass, 'INTEGRITY');
  t.is(world.version(1).version.state.value, 'discarded');
  t.is(world.itemState(1).value, 'cancelled');
  t.like(world.runState(other), {
    value: 'cancelled',
    context: { endReason: 'VERSION_DISCARDED' },
  });
  t.is(world.decisions.at(-1)?.changes?.operations['shorten_cooldown'], undefined);
});

test('a success resets the agent’s faults; stale, cancelled and other faults leave them', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const fail = (validator: string, failureClass: string) =>
    world.complete(world.run(validator), {
      terminalStatus: 'FAILED',
      scoreMicro: null,
      failureClass,
    });
  const count = () => world.version(1).version.state.context.consecutiveAgentFailures;

  fail('val-a', 'AGENT');
  fail('val-b', 'AGENT');
  fail('val-c', 'PROVIDER');
  world.run('val-d');
  world.pass(evalPolicy.claimLeaseMs);
  world.ok('release-run', world.run('val-e'));
  t.is(count(), 2);
  success(world, 'val-f');
  t.is(count(), 0);
  for (const validator of ['val-a', 'val-b']) fail(validator, 'AGENT');
  t.is(world.version(1).version.state.value, 'running');
  fail('val-c', 'AGENT');
  t.is(world.version(1).version.state.value, 'discarded');
  t.truthy(world.decisions.at(-1)?.changes?.operations['shorten_cooldown']);
});

test('an empty inference token makes a credential fault the agent’s', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const failed = {
    terminalStatus: 'FAILED',
    scoreMicro: null,
    failureReason: 'missing credential',
  };
  const faultOf = (validator: string, said: object) => {
    const run = world.run(validator);
    world.complete(run, { ...failed, ...said });
    return world.runState(run).context.faultClass;
  };

  t.is(faultOf('val-a', { hadToken: true }), 'UNATTRIBUTED');
  t.is(faultOf('val-b', { hadToken: false }), 'AGENT');
  // As edges of the version before say it.
  t.is(faultOf('val-c', { inferenceTokenWasNull: false }), 'UNATTRIBUTED');
  t.is(faultOf('val-d', { inferenceTokenWasNull: true }), 'AGENT');
});

test('a legacy success that scored fewer problems is stored, not included', (t) => {
  const world = new EvalWorld(
    suiteOf(3, { executionKind: 'legacy_benchmark', envPackSha256: null }),
  );
  world.submit(1);
  const own = world.run('val-a');

  const reply = world.complete(own, {
    scoreMicro: 123_456,
    scoreComponents: { scored_problems: 2, total_problems: 3 },
  });

  t.like(reply, { status: 'SUCCESS', includedSuccessCount: 0 });
  t.like(world.runState(own).context, {
    isIncluded: false,
    exclusionReason: 'INCOMPLETE',
    scoreMicro: 123_456,
  });
});

test('each result gets the first status that applies, in request order', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');
  world.ok('presign-artifact', {
    ...own,
    envPackSha256: packSha256,
    artifactSha256: stateHash,
    contentLength: 5,
  });
  const uri = (hash: string) => `s3://bucket/episodes/${hash}`;

  const items = world.append(own, [
    episode(0, { ledgerUri: uri(stateHash) }),
    episode(0),
    episode(1, { envPackSha256: 'ff'.repeat(32) }),
    episode(1, { taskId: 'task-9' }),
    episode(1, { family: 'other' }),
    episode(1, { verdictCorrect: false, rewardMicro: 400_000 }),
    episode(1, { terminalStateHash: null }),
    episode(1, { outcome: 'agent_error', verdictCorrect: false, rewardMicro: null }),
    episode(1, { ledgerUri: uri('ee'.repeat(32)) }),
    episode(0, { family: 'other' }),
    episode(1, {
      outcome: 'agent_error',
      verdictCorrect: false,
      rewardMicro: null,
      terminalStateHash: null,
    }),
  ]);

  t.deepEqual(
    items.map(({ status }) => status),
    [201, 409, 422, 422, 422, 422, 422, 422, 422, 422, 201],
  );
  t.like(world.runState(own), {
    value: 'running',
    context: { tally: { items: 2, rewardMicro: 500_000 } },
  });
});

test('results of a run that is foreign are not found, of one that is over unprocessable', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');
  const statuses = (who: typeof own) => world.append(who, results).map(({ status }) => status);

  t.deepEqual(statuses({ ...own, validatorHotkey: 'thief' }), [404, 404, 404]);
  t.deepEqual(statuses({ ...own, evalRunId: submission(9).agentId }), [404, 404, 404]);
  world.nowMs += evalPolicy.claimLeaseMs;
  t.deepEqual(statuses(own), [422, 422, 422]);
  t.is(world.runState(own).context.tally.items, 0);
});

test('results that are stored already are a sign of life, and no progress', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');
  world.append(own, results);
  const { leaseMs, noProgressMs } = evalPolicy;
  const endMs = world.nowMs + noProgressMs;

  while (world.nowMs < endMs - 1) {
    world.nowMs = Math.min(world.nowMs + leaseMs - 1, endMs - 1);
    t.deepEqual(new Set(world.append(own, results).map(({ status }) => status)), new Set([409]));
  }
  world.nowMs = endMs;
  t.is(world.append(own, results)[0]?.status, 422);
});

test('a batch of which nothing can be stored makes a claimed run a running one', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');

  t.is(world.append(own, [episode(0, { family: 'other' })])[0]?.status, 422);

  t.is(world.runState(own).value, 'running');
});

test('uploads and progress need a problem of the run and the run’s pack', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');
  const foreign = problemIdOf('elsewhere');
  const problem = {
    status: 'RUNNING',
    scoreMicro: null,
    reasoningScore: null,
    scoreComponents: null,
    inferenceFailureCount: null,
    inferenceTotal: null,
    executionTime: null,
    logsS3Key: null,
  };

  t.is(
    world.refusal('presign-artifact', {
      ...own,
      envPackSha256: 'ff'.repeat(32),
      artifactSha256: stateHash,
      contentLength: 1,
    }).code,
    'PACK_MISMATCH',
  );
  t.is(
    world.refusal('authorize-upload', { ...own, problemId: foreign }).code,
    'INVALID_PROBLEM_ID',
  );
  t.is(
    world.refusal('record-progress', { ...own, problems: [{ ...problem, problemId: foreign }] })
      .code,
    'INVALID_PROBLEM_ID',
  );
  t.is(world.runState(own).value, 'claimed');
  t.deepEqual(
    world.ok('record-progress', {
      ...own,
      problems: [{ ...problem, problemId: problemIdOf('task-1') }],
    }),
    { accepted: true },
  );
  t.is(world.runState(own).value, 'running');
});

test('a command for another partition or of no known type is a defect', (t) => {
  const world = new EvalWorld();

  t.throws(
    () =>
      world.do('heartbeat', {
        agentVersionId: problemIdOf('x'),
        evalRunId: problemIdOf('y'),
        validatorHotkey: 'v',
      }),
    { message: /of part/ },
  );
  t.throws(() => world.do('no-such-command', {}), { message: /no eval command/ });
  t.is(world.refusal('heartbeat', { evalRunId: 'nonsense' }).code, 'VALIDATION_FAILED');
});

test('a qualifying run ends in public with its score, and no fact has another’s id', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');
  world.append(own, results);
  world.complete(own);

  const facts = world.decisions.flatMap(({ changes }) => changes?.outbox ?? []);
  const names = facts.map(({ subject }) => subject.replace('fact.', ''));
  t.deepEqual(names, ['submission-accepted', 'run-claimed', 'run-ended']);
  t.like(facts[2]?.body, { phase: 'QUALIFYING', status: 'SUCCESS', scoreMicro: 500_000 });
  t.is(new Set(facts.map(({ msgId }) => msgId)).size, facts.length);
});
