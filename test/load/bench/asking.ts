import { HdrHistogram } from './hdr-histogram.ts';
import { type PartnerProcess, startPartner } from './partner-process.ts';

export interface Question {
  readonly method: string;
  readonly path: string;
  /** Header lines, each with its line end. */
  readonly head?: string;
  readonly body?: string;
}

/** What the asker is to do; the questions come in turn, again and again. */
export interface Asking {
  readonly baseUrls: readonly string[];
  readonly questions: readonly Question[];
  readonly connections: number;
  readonly seconds: number;
  /** Open loop: questions per second, at random intervals, whatever the answers do. */
  readonly rate?: number;
}

export interface Asked {
  readonly seconds: number;
  readonly count: number;
  /** By status, with the code of an error. */
  readonly answers: Readonly<Record<string, number>>;
  /** From when it should have been sent to the answer; of good answers. */
  readonly latency: HdrHistogram;
  /** From when it was sent: what `latency` has more was spent waiting for a free connection. */
  readonly service: HdrHistogram;
  /** Of the asker itself. */
  readonly cpuUs: number;
  /** In open loop, by how much it woke late. */
  readonly lateP99Ms: number;
}

/** How it travels. */
export type WireAsked = Omit<Asked, 'latency' | 'service'> & {
  readonly latency: Float64Array;
  readonly service: Float64Array;
};

export interface Asker extends AsyncDisposable {
  readonly pid: number;
  ask(asking: Asking): Promise<Asked>;
}

/** The process that asks: it sleeps between its turns, so that it costs what it costs and no more. */
export async function startAsker(): Promise<Asker> {
  const partner: PartnerProcess<Asking, WireAsked> = await startPartner('asker-process.ts', {});
  return {
    pid: partner.pid,
    async ask(asking) {
      const asked = await partner.ask(asking);
      const { latency, service, ...rest } = asked;
      return { ...rest, latency: new HdrHistogram(latency), service: new HdrHistogram(service) };
    },
    [Symbol.asyncDispose]: () => partner[Symbol.asyncDispose](),
  };
}

/** What was answered otherwise than with 200, in words; nothing when all were good. */
export function notGood({ answers }: Pick<Asked, 'answers'>): readonly string[] {
  return Object.entries(answers).flatMap(([what, count]) =>
    what === '200' ? [] : [`${count} x ${what}`],
  );
}
