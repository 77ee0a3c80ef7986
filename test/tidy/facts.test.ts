import test from 'ava';
import { z } from 'zod';
import { evalFacts } from '../../actors/lease-manager/messages.ts';
import { raceFacts } from '../../actors/race-coordinator/messages.ts';
import { projectFact } from '../../actors/services/projector/project-fact.ts';
import { codeLines, type Source, source, sources } from './sources.ts';

const declared = [...evalFacts, ...raceFacts].sort();

/** The names in `draft.publish('race-closed', …)`, each once. */
function publishedIn(files: readonly Source[]): readonly string[] {
  const names = files.flatMap((file) =>
    [
      ...codeLines(file)
        .join('\n')
        .matchAll(/\.publish\(\s*'([^']+)'/g),
    ].map(([, name = '']) => name),
  );
  return [...new Set(names)].sort();
}

/** Of what the projector tells it misses the fields here; anything else it does not know, or makes nothing of. */
function isProjected(name: string): boolean {
  try {
    projectFact({ subject: `fact.${name}`, body: {}, msgId: 'bare' }, { codePrivateMs: 0 });
    return false;
  } catch (error) {
    return error instanceof z.ZodError;
  }
}

test('the facts that have a name are those that are published', (t) => {
  const actors = sources('ts').filter(({ path }) => path.startsWith('actors/'));

  t.deepEqual(publishedIn(actors), declared);
});

// Each is an outbox row, a message of the stream and a transaction of the projector, who alone takes it.
test('no fact is published for nobody', (t) => {
  t.true(declared.length > 5);
  t.deepEqual(
    declared.filter((name) => !isProjected(name)),
    [],
  );
});

test('a fact that nobody named, and one that nobody takes, are seen', (t) => {
  const lines = `draft.publish('run-lost', {});\ndraft.publish(\n  'run-lost',\n  {},\n);`;

  t.deepEqual(publishedIn([source('actors/lease-manager/end-run.ts', lines)]), ['run-lost']);
  t.false(isProjected('run-lost'));
});
