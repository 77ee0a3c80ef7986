import { type LoadGenerator, startGenerator } from '../load-generator.ts';
import type { CpuUs } from '../measurement.ts';
import type { GeneratorPlan, Stage, StageResult } from '../stage.ts';
import { mustBeRight } from './block.ts';
import { HdrHistogram } from './hdr-histogram.ts';
import { cpuUsOf, cpuUsPerOperation, type Lab, type Product } from './lab.ts';
import { type Naive, startNaive } from './naive/start-naive.ts';

/** A service and the validators that ask it, for one of two that alternate. */
export interface CrowdSide extends AsyncDisposable {
  readonly name: string;
  /** Of validators; `supply` sees to it that so many runs can be claimed. */
  supply(runs: number): Promise<void>;
  perform(stage: Stage): Promise<Performed>;
}

export interface Performed {
  readonly perSecond: number;
  readonly latency: HdrHistogram;
  /** For each good answer, by kind of process. */
  readonly cpuUs: CpuUs;
  readonly result: StageResult;
}

export async function productSide(product: Product): Promise<CrowdSide> {
  const generator = await startGenerator({
    ...crowdOf(product),
    baseUrls: product.world.service.baseUrls,
  });
  return side('the product', generator, {
    supply: (runs) => product.supply(runs),
    cpuUs: () => product.cpuUs(),
    dispose: () => generator[Symbol.asyncDispose](),
  });
}

/** The naive service and a crowd like the product's. */
export async function naiveSide(lab: Lab, product: Product, isSigned: boolean): Promise<CrowdSide> {
  const naive: Naive = await startNaive(lab, isSigned);
  const generator = await startGenerator({
    ...crowdOf(product),
    baseUrls: [naive.baseUrl],
    hasNoSessions: true,
  });
  const { world } = await lab.product();
  return side(isSigned ? 'naive, signed' : 'naive, no auth', generator, {
    supply: (runs) => naive.supply(runs),
    cpuUs: () => ({
      server: cpuUsOf([naive.pid]),
      postgres: cpuUsOf([world.neighbours.pids.postgres]),
    }),
    async dispose() {
      await generator[Symbol.asyncDispose]();
      await naive[Symbol.asyncDispose]();
    },
  });
}

function crowdOf({ plan, suite }: Product): Omit<GeneratorPlan, 'baseUrls'> {
  const { validators, runsPerValidator } = plan;
  return { validators, runsPerValidator, seed: 1, ...suite };
}

interface Parts {
  supply(runs: number): Promise<void>;
  cpuUs(): CpuUs;
  dispose(): PromiseLike<void>;
}

function side(name: string, generator: LoadGenerator, parts: Parts): CrowdSide {
  const cpuUs = () => ({ ...parts.cpuUs(), generator: cpuUsOf([generator.pid]) });
  return {
    name,
    supply: parts.supply,
    async perform(stage) {
      const before = cpuUs();
      const result = await generator.perform(stage);
      mustBeRight(wrongOf(name, stage, result));
      const count = result.latenciesMs.length;
      return {
        perSecond: count / result.seconds,
        latency: HdrHistogram.of(result.latenciesMs),
        cpuUs: cpuUsPerOperation(before, cpuUs(), count),
        result,
      };
    },
    [Symbol.asyncDispose]: parts.dispose,
  };
}

/** Shed by an overloaded service: neither right nor wrong, and no part of a rate. */
const shed = /^503 /;
/** Beyond it the rest says nothing of the service. */
const shedShareMax = 0.1;

/** A fast answer that is not so is none: a figure needs every answer to be right. */
function wrongOf(name: string, stage: Stage, { errors, latenciesMs, hostile }: StageResult) {
  const told = Object.entries(errors);
  const wrong = told.flatMap(([what, count]) =>
    shed.test(what) ? [] : [`${name}, ${stage.auth} ${stage.name}: ${count} x ${what}`],
  );
  const { length } = latenciesMs;
  const shedCount = shedOf({ errors });
  if (length === 0) wrong.push(`${name}, ${stage.name}: nothing was answered`);
  if (shedCount > length * shedShareMax) {
    wrong.push(`${name}, ${stage.name}: ${shedCount} of ${length + shedCount} were shed`);
  }
  if (stage.hostileShare !== undefined && hostile === 0) wrong.push(`${name}: nothing was forged`);
  return wrong;
}

export function shedOf({ errors }: Pick<StageResult, 'errors'>): number {
  return Object.entries(errors).reduce(
    (sum, [what, count]) => sum + (shed.test(what) ? count : 0),
    0,
  );
}
