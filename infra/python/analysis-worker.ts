/**
 * The thread in which one file at a time is analysed. It may be killed at any moment, which is why
 * it holds nothing but the loaded parser.
 */
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { readAndJudge } from './analyse-file.ts';
import { giveWay } from './give-way.ts';
import { loadRuff } from './ruff.ts';
import type { SandboxProfile } from './sandbox-profile.ts';
import { warmUpFile } from './warm-up-file.ts';
import type { WorkerAnswer } from './worker-answer.ts';

giveWay();

// WebAssembly memory is no part of a worker's resource limits. This bounds every module that is
// loaded from here on to 256 MiB (pages of 64 KiB); ruff needs about 150 MB for an honest megabyte
// and grew to 2.5 GB on a hostile one.
setFlagsFromString('--wasm-max-mem-pages=4096');

const profile = workerData as SandboxProfile;
const ruff = loadRuff();
// The engine compiles what is first used: that is no file's time.
readAndJudge(warmUpFile, ruff, profile);

parentPort?.on('message', (file: Uint8Array) => answer(judged(file)));
answer({ kind: 'ready' });

function judged(file: Uint8Array): WorkerAnswer {
  try {
    const reading = readAndJudge(file, ruff, profile);
    return { kind: 'read', reading, retire: ruff.failed() };
  } catch (error) {
    return { kind: 'defect', error };
  }
}

function answer(message: WorkerAnswer): void {
  parentPort?.postMessage(message);
}
