import { type Block, type Figure, mustBeRight } from '../block.ts';
import { type Level, measureOverload, type OverloadFigures } from '../faults/measure-overload.ts';
import { read } from '../judge.ts';
import { slowDatabaseRows } from './slow-database.ts';

const growthMaxMib = 128;
const mib = 2 ** 20;
const bodyBytesMax = 200;
const recoveryMaxMs = 5_000;
const shedMaxMs = 20;

/** More than can be taken: what is refused and how, and what everybody else feels of it. */
export const overload: Block = {
  name: 'overload',
  goals: [],
  isQuick: true,
  async run(lab) {
    const quick = { factors: [5], seconds: 4, restSeconds: 6, leases: 100 };
    const full = { factors: [2, 5, 10], seconds: 5, restSeconds: 6, leases: 400 };
    const found = await measureOverload(lab.sized(quick, full), await lab.asker());
    mustBeRight(found.wrong);
    return [
      ...found.levels.flatMap((level) => levelRows(level, found)),
      shedRow(found),
      row('OV5 leases of punctual validators that ended', { value: found.stale, unit: '', max: 0 }),
      unseen(
        'OV6 requests of clients that are gone',
        'no client leaves here; tests show that nothing is begun for them',
      ),
      unseen('OV11 work in the background', 'none is under way here beside the load'),
      ...(await slowDatabaseRows(lab)),
    ];
  },
};

function row(
  what: string,
  by: {
    readonly value: number;
    readonly unit: string;
    readonly max?: number;
    readonly note?: string;
  },
): Figure {
  const { value, unit, max, note } = by;
  return read({
    ...{ goal: null, what, unit, values: [value], isHigherBetter: false },
    ...(max !== undefined && { must: max }),
    ...(note !== undefined && { note }),
  });
}

function unseen(what: string, why: string): Figure {
  return row(what, { value: Number.NaN, unit: '', note: `not shown here: ${why}` });
}

function levelRows(level: Level, { held }: OverloadFigures): readonly Figure[] {
  const { factor, classZero, all } = level;
  const at = `at ${factor}x`;
  const share = classZero.good / classZero.offered;
  const goodput = all.good / all.offered / (held.all.good / held.all.offered);
  const growth = (level.peakBytes - held.peakBytes) / mib;
  const higher = { goal: null, unit: '', isHigherBetter: true } as const;
  const own = factor === 5;
  return [
    read({
      ...{ ...higher, what: `OV1 heartbeats answered ${at}`, values: [share] },
      ...(own && { must: 0.99 }),
      note:
        `${all.offered} asked, ${all.good} good, ${all.shed} shed; ` +
        `${(goodput * factor * 100).toFixed(0)} % of the held rate was answered well`,
    }),
    row(`OV3 p99 of heartbeats let in ${at}, to held`, {
      ...{ value: classZero.goodMs.p99Ms / held.classZero.goodMs.p99Ms, unit: 'x', max: 2 },
      note:
        `${classZero.goodMs.p99Ms.toFixed(0)} ms, held ${held.classZero.goodMs.p99Ms.toFixed(0)} ms, ` +
        `of which the generator sent late ${classZero.lateP99Ms.toFixed(1)} and ${held.classZero.lateP99Ms.toFixed(1)} ms`,
    }),
    row(`OV2 p99 of an answer that sheds ${at}`, {
      ...{ value: all.shedMs.p99Ms, unit: 'ms' },
      // What was never shed says nothing of how fast it is.
      ...(all.shed > 0 ? { max: shedMaxMs } : { note: 'nothing was shed' }),
    }),
    row(`OV2 statements of the edge for each good answer ${at}`, {
      ...{ value: level.statementsEach, unit: '' },
      note: `held ${held.statementsEach.toFixed(2)}: what is shed asks the database for nothing`,
    }),
    row(`OV4 memory ${at} over held`, { value: growth, unit: 'MiB', max: growthMaxMib }),
    row(`normal p99 of heartbeats after ${at}`, {
      ...{ value: level.recoveredMs, unit: 'ms', max: recoveryMaxMs },
    }),
  ];
}

function shedRow({ shed, shedWithoutBody, shedUnchecked, ...found }: OverloadFigures): Figure {
  const sum = (of: (each: OverloadFigures['shed'][number]) => number) =>
    shed.reduce((total, each) => total + of(each), 0);
  const seconds = new Set(shed.flatMap((each) => Object.keys(each.retryAfterSeconds)));
  const tooLong = shed.filter((each) => each.bodyBytesMax > bodyBytesMax).length;
  const odd = sum((each) => each.withoutAdmission + each.withoutRetryAfter) + tooLong;
  return row('OV2 shed answers that are not as they should be', {
    ...{ value: odd, unit: '', max: 0 },
    note:
      `${sum((each) => each.count)} answers, Retry-After of ${seconds.size} different seconds; ` +
      `${shedWithoutBody} were shed before their body came, ${shedUnchecked} with a false signature ` +
      `before it was looked at; held load ${found.heldPerSecond.toFixed(0)} a second, one edge and one ` +
      `coordinator; the generator sent ${found.generatorLateP99Ms.toFixed(1)} ms late (p99)`,
  });
}
