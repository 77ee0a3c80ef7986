import { randomUUID } from 'node:crypto';
import test from 'ava';
import { publicTarget } from '../../../infra/otel/public-target.ts';

test('a trace shows the words, numbers and ids of a path, and nothing that could be a secret', (t) => {
  const id = randomUUID();
  for (const [target, path, query] of [
    ['/v1/public/leaderboard?limit=10&token=abc', '/v1/public/leaderboard', '[hidden]'],
    [`/v1/public/evaluation-runs/${id}`, `/v1/public/evaluation-runs/${id}`, ''],
    ['/v1/public/suites/7?', '/v1/public/suites/7', '[hidden]'],
    ['/v1/nowhere/sk-3f9aB', '/v1/nowhere/[hidden]', ''],
    ['/v1/miner/inference-auth/3f9a8b7c6d5e4f3a', '/v1/miner/inference-auth/[hidden]', ''],
    ['/', '/', ''],
    ['', '', ''],
    ['//x?y?z', '//x', '[hidden]'],
    [`/v1/${'abcdefgh'.repeat(4)}`, '/v1/[hidden]', ''],
  ] as const) {
    t.deepEqual(publicTarget(target), { path, query }, target);
  }
});
