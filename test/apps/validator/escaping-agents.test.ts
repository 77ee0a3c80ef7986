import test from 'ava';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';
import { referenceProfile } from '../../../infra/python/reference-profile.ts';
import { escapingAgents, quietAgent, threadBomb } from './escaping-agents.ts';

const outside = {
  ...{ port: 3000, keyFile: '/v/hotkey', packFolder: '/v/packs', graderFile: '/v/grade.ts' },
  marks: ['/v/mark'],
};

test('what reaches out of a sandbox is refused already, but for threads without end', async (t) => {
  const analyser = createCodeAnalyser(referenceProfile);
  t.teardown(() => analyser.stop());

  for (const { title, code } of [
    ...escapingAgents(outside),
    { title: 'tries all of it', code: quietAgent(outside) },
  ]) {
    const { kind } = await analyser.analyse(Buffer.from(code));
    t.is(kind === 'clean', code === threadBomb, title);
  }
});
