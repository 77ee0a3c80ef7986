import { z } from 'zod';
import type { WireAnswer } from './http-connection.ts';
import { resultsBody, rewardText } from './results-body.ts';
import type { GeneratorPlan, StageName } from './stage.ts';

/** A request to be, and what to do with its good answer. */
export interface Operation {
  readonly validator: number;
  readonly path: string;
  readonly body: string;
  /** The results that it stored; 0 for everything else. */
  accept(answer: WireAnswer): number;
}

interface HeldRun {
  readonly validator: number;
  readonly evalRunId: string;
  hasStarted: boolean;
  hasResults: boolean;
}

const claimAnswer = z.object({ eval_run_id: z.string() });
const countsAnswer = z.object({ counts: z.record(z.string(), z.number()) });

/** The runs that the crowd holds, and the requests that bring each one step further. */
export class HeldRuns {
  readonly #plan: GeneratorPlan;
  readonly #runs = new Set<HeldRun>();
  /** Also those that have ended: nobody is given a run that was given before. */
  readonly #seen = new Set<string>();

  constructor(plan: GeneratorPlan) {
    this.#plan = plan;
  }

  /** One request per run that is ready for it; for claims one per run that may still be held. */
  operations(name: StageName): Operation[] {
    switch (name) {
      case 'claims':
        return this.#claims();
      case 'first heartbeats':
        return this.#heartbeats([...this.#runs].filter(({ hasStarted }) => !hasStarted));
      case 'heartbeats':
        return this.#heartbeats([...this.#runs].filter(({ hasStarted }) => hasStarted));
      case 'item batches':
        return [...this.#runs]
          .filter(({ hasResults }) => !hasResults)
          .map((run) => this.#batch(run));
      case 'completions':
        return [...this.#runs].filter(({ hasResults }) => hasResults).map((run) => this.#end(run));
      case 'releases':
        return [...this.#runs].map((run) => this.#ending(run, 'release', {}));
    }
  }

  #claims(): Operation[] {
    const held = new Map<number, number>();
    for (const { validator } of this.#runs) held.set(validator, (held.get(validator) ?? 0) + 1);
    const operations: Operation[] = [];
    // Round by round, so that a validator's next claim comes long after its last.
    for (let round = 0; round < this.#plan.runsPerValidator; round++) {
      for (let validator = 0; validator < this.#plan.validators; validator++) {
        if (round < (held.get(validator) ?? 0)) continue;
        operations.push(this.#claim(validator));
      }
    }
    return operations;
  }

  #claim(validator: number): Operation {
    return {
      ...{ validator, path: '/v1/validator/work/claim', body: '{}' },
      accept: ({ body }) => {
        const { eval_run_id: evalRunId } = claimAnswer.parse(JSON.parse(body));
        if (this.#seen.has(evalRunId)) throw new Error('a run was claimed twice');
        this.#seen.add(evalRunId);
        this.#runs.add({ validator, evalRunId, hasStarted: false, hasResults: false });
        return 0;
      },
    };
  }

  #heartbeats(runs: readonly HeldRun[]): Operation[] {
    return runs.map((run) => ({
      ...{ validator: run.validator, path: pathOf(run, 'heartbeat'), body: '{}' },
      accept: () => {
        run.hasStarted = true;
        return 0;
      },
    }));
  }

  /** All tasks of a run in one batch. */
  #batch(run: HeldRun): Operation {
    const { tasks } = this.#plan;
    return {
      validator: run.validator,
      path: '/v1/validator/episode-results',
      body: resultsBody(this.#plan, run.evalRunId),
      accept: ({ body }) => {
        const stored = countsAnswer.parse(JSON.parse(body)).counts['201'] ?? 0;
        run.hasResults = stored === tasks.length;
        return stored;
      },
    };
  }

  #end(run: HeldRun): Operation {
    const done = { terminal_status: 'SUCCESS', validator_score: Number(rewardText) };
    return this.#ending(run, 'complete', done);
  }

  #ending(run: HeldRun, action: string, json: object): Operation {
    return {
      validator: run.validator,
      path: pathOf(run, action),
      body: JSON.stringify(json),
      accept: () => {
        this.#runs.delete(run);
        return 0;
      },
    };
  }
}

function pathOf({ evalRunId }: HeldRun, action: string): string {
  return `/v1/validator/evaluation-runs/${evalRunId}/${action}`;
}
