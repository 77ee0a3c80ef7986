import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type Header, pack } from 'tar-stream';
import { buildSubPack } from '../../../infra/packs/build-sub-pack.ts';
import { inspectPack } from '../../../infra/packs/inspect-pack.ts';
import type { PackManifest } from '../../../infra/packs/pack-format.ts';
import { PackInvalid } from '../../../infra/packs/pack-invalid.ts';
import { defaultLimits } from '../../../infra/packs/read-archive.ts';
import { writePack } from '../../../infra/packs/write-pack.ts';

const manifest: PackManifest = {
  contract_version: '1',
  runtime_version: '3.11',
  tool_contract_version: '1',
  verifier_version: '1',
  result_schema_version: '1',
  catalog_epoch: 'e1',
  catalog_sha256: 'a'.repeat(64),
  search_index_epoch: null,
  search_index_sha256: null,
  display_name: 'Test shop',
  environment_revision: 'r1',
};
const tasks = Array.from({ length: 9 }, (_, n) => ({
  task_id: `task-${n}`,
  family: `family-${n % 3}`,
  goal_text: `Buy ${n} things`,
  secret: { answer: n },
}));
const content = { manifest, tasks, files: { 'data/catalog.json': '[1, 2]' } };

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'paddock-packs-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** An archive of exactly these entries, legal or not. */
async function rawArchive(path: string, entries: readonly (Partial<Header> & { body?: string })[]) {
  const archive = pack();
  for (const { body, ...header } of entries) {
    archive.entry({ name: 'epoch/x', ...header }, body ?? '');
  }
  archive.finalize();
  await pipeline(archive, createGzip(), createWriteStream(path));
}

const manifestEntry = { name: 'epoch/manifest.json', body: JSON.stringify(manifest) };
const tasksEntry = {
  name: 'epoch/data/tasks/private_tasks.jsonl',
  body: `${JSON.stringify(tasks[0])}\n`,
};

/** So many lines with one goal. */
function roster(count: number, goal = 'Buy'): string {
  const line = (n: number) => JSON.stringify({ task_id: `t${n}`, family: 'f', goal_text: goal });
  return Array.from({ length: count }, (_, n) => `${line(n)}\n`).join('');
}

test('a pack that was written is read back whole', async (t) => {
  const path = join(await folder(t), 'pack.tar.gz');
  const written = await writePack(path, content);

  const inspected = await inspectPack(path);

  const bytes = await readFile(path);
  t.is(written.sizeBytes, bytes.length);
  t.is(written.sha256, createHash('sha256').update(bytes).digest('hex'));
  t.deepEqual(inspected.manifest, manifest);
  t.deepEqual(inspected.familyCounts, { 'family-0': 3, 'family-1': 3, 'family-2': 3 });
  t.deepEqual(inspected.tasks[8], {
    taskId: 'task-8',
    family: 'family-2',
    goalText: 'Buy 8 things',
  });
});

test('a sub-archive holds the delivered tasks alone and is the same every time', async (t) => {
  const dir = await folder(t);
  const sourcePath = join(dir, 'pack.tar.gz');
  await writePack(sourcePath, content);
  const taskIds = ['task-7', 'task-2'];

  const first = await buildSubPack({ sourcePath, taskIds, targetPath: join(dir, 'one') });
  const second = await buildSubPack({ sourcePath, taskIds, targetPath: join(dir, 'two') });

  t.deepEqual(first, second);
  const inspected = await inspectPack(join(dir, 'one'));
  t.deepEqual(
    inspected.tasks.map(({ taskId }) => taskId),
    ['task-2', 'task-7'],
  );
  const unpacked = gunzipSync(await readFile(join(dir, 'one'))).toString();
  t.true(unpacked.includes('"answer":7'));
  t.true(unpacked.includes('[1, 2]'));
  t.false(unpacked.includes('task-3'));
});

const refusals: readonly (readonly [
  string,
  readonly (Partial<Header> & { body?: string })[],
  RegExp,
])[] = [
  ['no manifest', [tasksEntry], /no epoch\/manifest\.json/],
  ['no tasks', [manifestEntry], /no epoch\/data\/tasks/],
  ['a way out of the root', [{ name: 'epoch/../../etc/passwd' }], /does not lie in/],
  ['an absolute path', [{ name: '/etc/passwd' }], /does not lie in/],
  ['a file for a root', [{ name: 'epoch' }], /must be a folder/],
  ['another root', [{ name: 'other/file' }], /does not lie in/],
  ['a symbolic link', [{ name: 'epoch/l', type: 'symlink', linkname: '/etc' }], /is a symlink/],
  ['a hard link', [{ name: 'epoch/l', type: 'link', linkname: 'epoch/x' }], /is a link/],
  ['a device', [{ name: 'epoch/d', type: 'character-device' }], /is a character-device/],
  ['a name twice', [{ body: '1' }, { body: '2' }], /twice/],
  ['a manifest that is no JSON', [{ ...manifestEntry, body: '{' }], /is not JSON/],
  [
    'a manifest without a field',
    [{ ...manifestEntry, body: JSON.stringify({ ...manifest, catalog_sha256: undefined }) }],
    /catalog_sha256/,
  ],
  ['a task twice', [{ ...tasksEntry, body: tasksEntry.body.repeat(2) }], /task-0 twice/],
  ['a task without a family', [{ ...tasksEntry, body: '{"task_id":"a"}' }], /line 1: family/],
  [
    'a goal that holds a NUL',
    [{ ...tasksEntry, body: '{"task_id":"a","family":"f","goal_text":"b\\u0000"}' }],
    /goal_text: must not hold a NUL/,
  ],
  [
    'half a surrogate pair in its manifest',
    [{ ...manifestEntry, body: JSON.stringify({ ...manifest, display_name: '\ud800' }) }],
    /display_name: must not hold/,
  ],
  [
    'a family that no object can count',
    [{ ...tasksEntry, body: '{"task_id":"a","family":"__proto__","goal_text":"b"}' }],
    /is no name for a family/,
  ],
  ['an empty roster', [{ ...tasksEntry, body: '\n' }], /holds no task/],
  [
    'more tasks than a pack may have',
    [{ ...tasksEntry, body: roster(20_001) }],
    /at most 20000 tasks/,
  ],
  [
    'more of goals than a pack may have',
    [{ ...tasksEntry, body: roster(420, 'é'.repeat(10_000)) }],
    /goals of .* at most 8388608 bytes/,
  ],
];

test('as many tasks as a pack may have are taken', async (t) => {
  const path = join(await folder(t), 'pack.tar.gz');
  await rawArchive(path, [manifestEntry, { ...tasksEntry, body: roster(20_000) }]);
  t.is((await inspectPack(path)).tasks.length, 20_000);
});

for (const [what, entries, sentence] of refusals) {
  test(`a pack with ${what} is refused`, async (t) => {
    const path = join(await folder(t), 'pack.tar.gz');
    await rawArchive(path, entries);
    const error = await t.throwsAsync(inspectPack(path), { instanceOf: PackInvalid });
    t.regex(error?.message ?? '', sentence);
  });
}

test('what is no whole gzip tar is refused, wherever it is cut', async (t) => {
  const dir = await folder(t);
  const path = join(dir, 'pack.tar.gz');
  await writePack(path, content);
  const bytes = await readFile(path);
  const broken = {
    text: Buffer.from('hello'),
    empty: Buffer.alloc(0),
    'gzip of text': gzipSync('hello '.repeat(500)),
    half: bytes.subarray(0, bytes.length / 2),
    'last byte': bytes.subarray(0, -1),
    flipped: Buffer.from(bytes.map((byte, at) => (at === bytes.length - 6 ? byte ^ 0xff : byte))),
  };
  for (const [name, content] of Object.entries(broken)) {
    const at = join(dir, name);
    await writeFile(at, content);
    await t.throwsAsync(inspectPack(at), { instanceOf: PackInvalid }, name);
  }
});

test('a bomb ends at the limit', async (t) => {
  const path = join(await folder(t), 'bomb.tar.gz');
  await rawArchive(path, [{ name: 'epoch/zeros', body: '\0'.repeat(5_000_000) }]);
  const limits = { ...defaultLimits, unpackedBytesMax: 1_000_000 };
  await t.throwsAsync(inspectPack(path, limits), { message: /unpacks to more than/ });
});

test('a bomb behind the end of the archive ends at the limit', async (t) => {
  const dir = await folder(t);
  const path = join(dir, 'pack.tar.gz');
  await writePack(path, content);
  const tar = Buffer.concat([gunzipSync(await readFile(path)), Buffer.alloc(5_000_000)]);
  await writeFile(path, gzipSync(tar));

  const limits = { ...defaultLimits, unpackedBytesMax: 1_000_000 };
  await t.throwsAsync(inspectPack(path, limits), {
    instanceOf: PackInvalid,
    message: /unpacks to more than/,
  });
});

test('a sub-archive of tasks that the pack does not have is not built', async (t) => {
  const dir = await folder(t);
  const sourcePath = join(dir, 'pack.tar.gz');
  await writePack(sourcePath, content);
  const plan = { sourcePath, taskIds: ['task-1', 'task-99'], targetPath: join(dir, 'one') };

  await t.throwsAsync(buildSubPack(plan), { message: /must be in the pack/ });
});

// Any subset comes back as that subset in the pack's order, whatever order it was asked in, and
// the bytes depend on nothing else.
test('any subset of the tasks is delivered exactly', async (t) => {
  const dir = await folder(t);
  const sourcePath = join(dir, 'pack.tar.gz');
  await writePack(sourcePath, content);
  const property = fc.asyncProperty(
    fc.shuffledSubarray(
      tasks.map(({ task_id }) => task_id),
      { minLength: 1 },
    ),
    async (taskIds) => {
      const [one, two] = [join(dir, 'one'), join(dir, 'two')];
      const first = await buildSubPack({ sourcePath, taskIds, targetPath: one });
      const second = await buildSubPack({
        sourcePath,
        taskIds: taskIds.toSorted(),
        targetPath: two,
      });
      const delivered = (await inspectPack(one)).tasks.map(({ taskId }) => taskId);
      return first.sha256 === second.sha256 && delivered.join() === taskIds.toSorted().join();
    },
  );
  await t.notThrowsAsync(fc.assert(property, { numRuns: 30 }));
});

// Whatever happens to the unpacked bytes, the answer is a pack or a sentence, never a crash or a
// hang. The archive is packed again after the change, so that gzip's own checksum does not help.
test('a damaged archive is refused with a sentence or read', async (t) => {
  const dir = await folder(t);
  const path = join(dir, 'pack.tar.gz');
  await writePack(path, content);
  const whole = gunzipSync(await readFile(path));
  const property = fc.asyncProperty(
    fc.array(fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) }), { maxLength: 4 }),
    fc.oneof(fc.constant(whole.length), fc.nat(whole.length)),
    async (changes, length) => {
      const tar = Buffer.from(whole);
      for (const { at, byte } of changes) tar[at] = byte;
      await writeFile(path, gzipSync(tar.subarray(0, length)));
      const outcome = await inspectPack(path).catch((error: unknown) => error);
      return !(outcome instanceof Error) || outcome instanceof PackInvalid;
    },
  );
  await t.notThrowsAsync(fc.assert(property, { numRuns: 200 }));
});
