/** The thread inside the judge's process in which CPython runs, so that its time can be told. */
import { parentPort } from 'node:worker_threads';
import { startInterpreter } from './interpreter.ts';
import type { JudgeAnswer } from './judgement.ts';

const interpreter = await startInterpreter();

parentPort?.on('message', (file: Uint8Array) =>
  answer({ kind: 'judged', ...interpreter.judge(file) }),
);
answer({ kind: 'ready' });

function answer(message: JudgeAnswer): void {
  parentPort?.postMessage(message);
}
