import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { GeneratorPlan, Stage, StageResult } from './stage.ts';

/** The other process that makes the load. */
export interface LoadGenerator extends AsyncDisposable {
  readonly pid: number;
  perform(stage: Stage): Promise<StageResult>;
}

interface Message {
  readonly ready?: boolean;
  readonly result?: StageResult;
  readonly error?: string;
}

export async function startGenerator(plan: GeneratorPlan): Promise<LoadGenerator> {
  const child = fork(join(import.meta.dirname, 'generator.ts'), [JSON.stringify(plan)], {
    // Latencies travel as they are, and not as text.
    serialization: 'advanced',
    execArgv: [],
  });
  const exited = once(child, 'exit');
  const answer = async (): Promise<Message> => {
    const told = once(child, 'message');
    const [message] = await Promise.race([told, exited.then(() => [{ error: 'it ended' }])]);
    return message;
  };
  const { error } = await answer();
  if (error !== undefined) throw new Error(`the load generator did not start: ${error}`);
  return {
    pid: child.pid ?? 0,
    async perform(stage) {
      child.send(stage);
      const message = await answer();
      if (message.result !== undefined) return message.result;
      throw new Error(`the load generator failed at ${stage.name}: ${message.error}`);
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
