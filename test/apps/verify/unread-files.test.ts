import test from 'ava';
import type { FileKind } from '../../../apps/verify/objects/file-kind.ts';
import { findKind } from '../../../apps/verify/objects/find-kind.ts';
import { ObjectsUnreadable } from '../../../apps/verify/objects/objects-unreadable.ts';
import type { ObjectInspector } from '../../../infra/ports/object-inspector.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

/** Files of which the store says nothing where `isUnread` is true of their number. */
async function found(count: number, isUnread: (number: number) => boolean) {
  const kind: FileKind = {
    ...{ id: 'code', subject: 'files', remedy: 'put them back' },
    async *files() {
      for (let number = 0; number < count; number++) {
        const about = { belongsTo: 'a version', hurts: 'it cannot race' };
        yield { keys: [String(number)], sizeBytes: 1, sha256: null, ...about };
      }
    },
  };
  const store = {
    size: async (key: string) => {
      if (isUnread(Number(key))) throw new Error('damaged');
      return 1;
    },
  } as unknown as ObjectInspector;
  return await findKind(kind, {
    ...{ sql: undefined as unknown as Sql, store, clock: { monotonicMs: () => 0 } },
    ...{ isHashed: false, keptMax: 5, rowsPerPage: 10 },
  });
}

test('files that are damaged here and there are no store that is away', async (t) => {
  const { named, there, unread } = await found(300, (number) => number % 3 === 0);

  t.deepEqual([named, there, unread.count], [300, 200, 100]);
  t.is(unread.files.length, 5);
});

test('a store that says nothing of one file after another is away', async (t) => {
  await t.throwsAsync(
    found(300, (number) => number >= 100),
    { instanceOf: ObjectsUnreadable, message: /nor of \d+ files before it/ },
  );
});
