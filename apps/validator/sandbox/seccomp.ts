/**
 * A seccomp filter as the kernel takes it: classic BPF, eight bytes an instruction. What an agent has
 * no business with is answered EPERM, as if it did not have the right; everything else goes its way.
 *
 * The namespaces already keep the sandbox apart. This takes away what reaches the kernel itself from
 * inside of them: sockets, namespaces of its own, memory that no limit counts (System V
 * segments, pages that several processes share), tracing, keys, and the interfaces in which kernels had most of their holes.
 *
 * The one pair of sockets that may be made is a connected stream of AF_UNIX, by which an event loop
 * wakes itself: without it no file that calls `asyncio.run` gets to its first line. It is no way out.
 * It has no address and takes none: the kernel connects no connected stream again and lets none
 * listen, which it does not refuse of datagrams, so those are not made. Both ends are the agent's own,
 * so whatever descriptor is sent through it (SCM_RIGHTS) was the agent's before; nobody outside holds
 * an end. What its buffers keep is bound by the number of descriptors, as that of pipes is.
 */
export function seccompFilter(architecture: string): Buffer | undefined {
  const target = targets[architecture];
  return target === undefined ? undefined : assemble(stepsOf(target));
}

type Label = 'allow' | 'next' | 'notThere' | 'refuse';

interface Step {
  readonly code: number;
  readonly operand: number;
  /** Where it goes on: an end, or as many instructions later. */
  readonly yes?: Label | number;
  readonly no?: Label | number;
}

const architectureOffset = 4;
const numberOffset = 0;
const firstArgumentOffset = 16;
const secondArgumentOffset = 24;
const fourthArgumentOffset = 40;
const x32Bit = 0x4000_0000;
/** CLONE_NEW… of every kind of namespace. */
const newNamespaces = 0x7e02_0000;
/** MAP_SHARED, also within MAP_SHARED_VALIDATE. */
const mapShared = 0x01;
const unixFamily = 1;
/** What is left of a socket's type without SOCK_CLOEXEC and SOCK_NONBLOCK. */
const socketTypeBits = 0xf;
const streamType = 1;

function stepsOf({ audit, denied, socketpair, clone, mmap }: Target): readonly Step[] {
  return [
    load(architectureOffset),
    // A program of another architecture has other numbers: nothing of it is let through.
    { code: ifEqual, operand: audit, yes: 'next', no: 'refuse' },
    load(numberOffset),
    // The x32 numbers of an x86-64 kernel are the same calls by other names.
    { code: ifAtLeast, operand: x32Bit, yes: 'refuse', no: 'next' },
    ...denied.map((number): Step => ({ code: ifEqual, operand: number, yes: 'refuse' })),
    { code: ifEqual, operand: socketpair, yes: 'next', no: 5 },
    load(firstArgumentOffset),
    { code: ifEqual, operand: unixFamily, yes: 'next', no: 'refuse' },
    load(secondArgumentOffset),
    { code: keepBits, operand: socketTypeBits },
    { code: ifEqual, operand: streamType, yes: 'allow', no: 'refuse' },
    // Its flags lie in memory, where no filter sees them; the C library falls back to clone.
    { code: ifEqual, operand: clone3, yes: 'notThere' },
    // A child keeps shared pages alive that it never touched, and that count as nobody's then.
    { code: ifEqual, operand: mmap, yes: 'next', no: 2 },
    load(fourthArgumentOffset),
    { code: ifAnyBit, operand: mapShared, yes: 'refuse', no: 'allow' },
    { code: ifEqual, operand: clone, yes: 'next', no: 'allow' },
    load(firstArgumentOffset),
    { code: ifAnyBit, operand: newNamespaces, yes: 'refuse', no: 'allow' },
  ];
}

const ifEqual = 0x15;
const ifAtLeast = 0x35;
const ifAnyBit = 0x45;
const keepBits = 0x54;
const load = (offset: number): Step => ({ code: 0x20, operand: offset });

const returns = 0x06;
const errno = 0x0005_0000;
/** In the order in which they stand behind the steps: SECCOMP_RET_ALLOW, EPERM, ENOSYS. */
const ends: readonly (readonly [Label, number])[] = [
  ['allow', 0x7fff_0000],
  ['refuse', errno | 1],
  ['notThere', errno | 38],
];

function assemble(steps: readonly Step[]): Buffer {
  const offsetTo = (to: Label | number = 'next', from: number) => {
    if (typeof to === 'number') return to;
    return to === 'next' ? 0 : steps.length + ends.findIndex(([end]) => end === to) - from - 1;
  };
  return Buffer.concat([
    ...steps.map(({ code, operand, yes, no }, at) =>
      instruction(code, operand, { yes: offsetTo(yes, at), no: offsetTo(no, at) }),
    ),
    ...ends.map(([, value]) => instruction(returns, value)),
  ]);
}

function instruction(code: number, operand: number, jump = { yes: 0, no: 0 }): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jump.yes, 2);
  bytes.writeUInt8(jump.no, 3);
  bytes.writeUInt32LE(operand >>> 0, 4);
  return bytes;
}

interface Target {
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly audit: number;
  readonly denied: readonly number[];
  readonly socketpair: number;
  readonly clone: number;
  readonly mmap: number;
}

const clone3 = 435;

// Numbers from the kernel's own tables: socket, shmget, shmat, ptrace, unshare, setns,
// mount, umount2, pivot_root, chroot, keyctl, add_key, request_key, bpf, perf_event_open,
// userfaultfd, io_uring_setup, process_vm_readv, process_vm_writev, memfd_create, memfd_secret,
// open_tree, move_mount, fsopen, fsmount.
const targets: Readonly<Record<string, Target>> = {
  x64: {
    audit: 0xc000_003e,
    socketpair: 53,
    clone: 56,
    mmap: 9,
    denied: [
      ...[41, 29, 30, 101, 272, 308, 165, 166, 155, 161, 250, 248, 249, 321, 298, 323, 425],
      ...[310, 311, 319, 447, 428, 429, 430, 432],
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    socketpair: 199,
    clone: 220,
    mmap: 222,
    denied: [
      ...[198, 194, 196, 117, 97, 268, 40, 39, 41, 51, 219, 217, 218, 280, 241, 282, 425],
      ...[270, 271, 279, 447, 428, 429, 430, 432],
    ],
  },
};
