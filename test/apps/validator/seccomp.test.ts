import test from 'ava';
import { seccompFilter } from '../../../apps/validator/sandbox/seccomp.ts';

interface Call {
  readonly architecture: number;
  readonly number: number;
  readonly firstArgument?: number;
  readonly secondArgument?: number;
  readonly fourthArgument?: number;
}

/** The kernel's interpreter of these few instructions, in a few lines. */
function judged(program: Buffer, call: Call): number {
  const { architecture, number } = call;
  const { firstArgument = 0, secondArgument = 0, fourthArgument = 0 } = call;
  const fields = new Map([
    [0, number],
    [4, architecture],
    [16, firstArgument],
    [24, secondArgument],
    [40, fourthArgument],
  ]);
  let accumulator = 0;
  for (let at = 0; ; at++) {
    const code = program.readUInt16LE(at * 8);
    const operand = program.readUInt32LE(at * 8 + 4);
    const jump = (holds: boolean) => program.readUInt8(at * 8 + (holds ? 2 : 3));
    if (code === 0x06) return operand;
    if (code === 0x20) accumulator = fields.get(operand) ?? Number.NaN;
    else if (code === 0x54) accumulator &= operand;
    else if (code === 0x15) at += jump(accumulator === operand);
    else if (code === 0x35) at += jump(accumulator >= operand);
    else if (code === 0x45) at += jump((accumulator & operand) !== 0);
    else throw new Error(`an instruction ${code} that the filter has no need of`);
  }
}

const allow = 0x7fff_0000;
const refuse = 0x0005_0001;
const notThere = 0x0005_0026;
const x64 = 0xc000_003e;
const arm64 = 0xc000_00b7;

const calls: readonly (readonly [title: string, call: Call, verdict: number])[] = [
  ['read goes its way', { architecture: x64, number: 0 }, allow],
  ['socket is refused', { architecture: x64, number: 41 }, refuse],
  [
    'a pair of streams of one process is made',
    { architecture: x64, number: 53, firstArgument: 1, secondArgument: 0x0008_0801 },
    allow,
  ],
  [
    'a pair of datagram sockets is not, which could be addressed',
    { architecture: x64, number: 53, firstArgument: 1, secondArgument: 0x0008_0002 },
    refuse,
  ],
  [
    'a pair of packet sockets neither',
    { architecture: x64, number: 53, firstArgument: 1, secondArgument: 5 },
    refuse,
  ],
  [
    'a pair of another family neither',
    { architecture: x64, number: 53, firstArgument: 2, secondArgument: 1 },
    refuse,
  ],
  ['shmget is refused', { architecture: x64, number: 29 }, refuse],
  ['the last of the list, fsmount, is refused', { architecture: x64, number: 432 }, refuse],
  ['clone3 is not there', { architecture: x64, number: 435 }, notThere],
  ['a thread is cloned', { architecture: x64, number: 56, firstArgument: 0x003d_0f00 }, allow],
  [
    'a user namespace is not',
    { architecture: x64, number: 56, firstArgument: 0x1000_0011 },
    refuse,
  ],
  [
    'a mount namespace is not',
    { architecture: x64, number: 56, firstArgument: 0x0002_0011 },
    refuse,
  ],
  // MAP_PRIVATE | MAP_ANONYMOUS, and MAP_SHARED in the place of the first.
  ['memory of its own is mapped', { architecture: x64, number: 9, fourthArgument: 0x22 }, allow],
  ['shared memory is not', { architecture: x64, number: 9, fourthArgument: 0x21 }, refuse],
  [
    'shared memory by its newer name neither',
    { architecture: x64, number: 9, fourthArgument: 0x03 },
    refuse,
  ],
  ['another architecture gets nowhere', { architecture: 0x4000_0003, number: 0 }, refuse],
  ['the other names of x32 get nowhere', { architecture: x64, number: 0x4000_0029 }, refuse],
];

for (const [title, call, verdict] of calls) {
  test(`by the filter of x64 ${title}`, (t) => {
    t.is(judged(seccompFilter('x64') ?? Buffer.alloc(0), call), verdict);
  });
}

test('the filter of arm64 knows its own numbers', (t) => {
  const program = seccompFilter('arm64') ?? Buffer.alloc(0);

  t.is(judged(program, { architecture: arm64, number: 198 }), refuse);
  t.is(judged(program, { architecture: arm64, number: 63 }), allow);
  const pair = { architecture: arm64, number: 199, secondArgument: 1 };
  t.is(judged(program, { ...pair, firstArgument: 1 }), allow);
  t.is(judged(program, { ...pair, firstArgument: 10 }), refuse);
  t.is(judged(program, { architecture: arm64, number: 222, fourthArgument: 0x21 }), refuse);
  t.is(judged(program, { architecture: arm64, number: 222, fourthArgument: 0x22 }), allow);
  t.is(judged(program, { architecture: arm64, number: 220, firstArgument: 0x0002_0011 }), refuse);
  t.is(judged(program, { architecture: x64, number: 0 }), refuse);
});

test('an architecture whose numbers nobody wrote down has no filter', (t) => {
  t.is(seccompFilter('riscv64'), undefined);
});
