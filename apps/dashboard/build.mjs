// Bundles the pages into apps/dashboard/dist when their sources or the lock changed; otherwise costs
// milliseconds. Plain JavaScript: the bootstrap runs it on whatever Node it was started with.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = import.meta.dirname;
const browser = join(folder, 'browser');
/** The words of reasons, which the pages share with the rest of us. */
const reasons = join(folder, '../../machines/reasons');
const dist = join(folder, 'dist');
const stampFile = join(dist, 'stamp');
const assetsPath = '/app/assets/';

/** Of everything that the bundle is made of, this file included. */
function expectedStamp() {
  const hash = createHash('sha256');
  const within = [browser, reasons].flatMap((each) =>
    readdirSync(each, { recursive: true, withFileTypes: true }),
  );
  const sources = within
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const shared = ['build.mjs', 'page-paths.ts', '../../package-lock.json'].map((name) =>
    join(folder, name),
  );
  for (const path of [...sources, ...shared].sort()) {
    hash.update(`${relative(folder, path)}\0`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Whole or not at all: an edge may start meanwhile, and a second build may run beside this one. */
function write(path, bytes) {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, bytes);
  renameSync(temporary, path);
}

function writeInEachCoding(path, bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  write(path, bytes);
  write(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  write(`${path}.br`, brotliCompressSync(bytes, { params }));
}

async function bundle() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: { main: join(browser, 'main.tsx'), styles: join(browser, 'styles.css') },
    outdir: join(dist, 'assets'),
    entryNames: '[name]-[hash]',
    ...{ bundle: true, minify: true, write: false, format: 'esm', charset: 'utf8' },
    target: ['chrome120', 'firefox121', 'safari17.4'],
    ...{ jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'warning' },
  });
  return outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
}

export async function buildPages() {
  const stamp = expectedStamp();
  if (readOrEmpty(stampFile) === stamp) return;
  const files = await bundle();
  mkdirSync(join(dist, 'assets'), { recursive: true });
  for (const { name, contents } of files) writeInEachCoding(join(dist, 'assets', name), contents);
  const addressOf = (ending) =>
    `${assetsPath}${files.find(({ name }) => name.endsWith(ending)).name}`;
  const page = readFileSync(join(browser, 'index.html'), 'utf8')
    .replace('%STYLES%', addressOf('.css'))
    .replace('%SCRIPT%', addressOf('.js'));
  writeInEachCoding(join(dist, 'index.html'), Buffer.from(page));
  const kept = files.map(({ name }) => name);
  for (const old of readdirSync(join(dist, 'assets'))) {
    if (!kept.some((name) => old.startsWith(name))) rmSync(join(dist, 'assets', old));
  }
  // Last: without it nothing of the folder counts.
  write(stampFile, stamp);
}

if (process.argv[1] === import.meta.filename) await buildPages();
