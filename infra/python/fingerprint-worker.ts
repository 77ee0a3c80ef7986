/** The thread in which one file at a time is fingerprinted; it may be killed at any moment. */
import { setFlagsFromString } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { fingerprintsOf } from '../../machines/submission/fingerprints.ts';
import type { FingerprintedCode } from '../ports/code-fingerprints.ts';
import { shapeOf } from './code-shape.ts';
import { FileRefused } from './file-refused.ts';
import { giveWay } from './give-way.ts';
import { publishedCode } from './published-code.ts';
import { loadRuff } from './ruff.ts';
import { readSourceFile } from './source-file.ts';

giveWay();

// 256 MiB, as in the analysis thread, which names the reasons.
setFlagsFromString('--wasm-max-mem-pages=4096');

const ruff = loadRuff();

parentPort?.on('message', (file: Uint8Array) => parentPort?.postMessage(read(file)));
parentPort?.postMessage('ready');

/** What the analysis has accepted is readable; what it would not, had it changed its mind, may not be. */
function read(file: Uint8Array): FingerprintedCode {
  try {
    const source = readSourceFile(file);
    const shape = shapeOf(source, ruff.tokens(source.text));
    return { kind: 'read', fingerprints: fingerprintsOf(shape, publishedCode) };
  } catch (error) {
    if (error instanceof FileRefused) return { kind: 'unreadable', reason: error.message };
    throw error;
  }
}
