/** By what was counted: so many, or from so many to so many where it depends on chance. */
export type Expected = Readonly<Record<string, number | readonly [number, number]>>;

/**
 * What each hot request costs, in numbers that no busy machine changes. `waits`, `after`, `messages`
 * and `signatures` are exact; the others are bounds, some tenth above what is counted. All of it with a
 * session, in a warm process: what is read once a second for everybody is no request's cost.
 *
 * Who makes a request cheaper lowers its numbers here, and in the table of
 * infra/reference/request-costs.md.
 */
export interface RequestCost {
  /** Statements that the answer waits for: a round trip each. */
  readonly waits: Expected;
  /** Statements that follow of it. */
  readonly after: Expected;
  /** On the broker, counted as a subscriber would see them: given and delivered. */
  readonly messages: Expected;
  readonly signatures: number;
  /** Statements in functions, triggers and checks of foreign keys, of all the above. */
  readonly insideMax: number;
  /** Bytes of write-ahead log of all the above, without the full pages that follow a checkpoint. */
  readonly walBytesMax: number;
}

/** A command of an edge to the owner of a partition, and its answer. */
const asked = (type: string): Expected => ({ [`cmd.eval ${type}`]: 1, answer: 1 });

/** A fact on its way: stored and acknowledged by the stream, delivered, taken, and told to who listens. */
const told = (fact: string): Expected => ({
  // Given and delivered.
  [`fact.${fact}`]: 2,
  'answer of the stream': 1,
  'taken by fact-projector': 1,
  'sys.public-events': 1,
});

/** Whether its session, or its key, still counts: asked once a second by every caller, not by every request. */
export const callerStands: Expected = {
  'edge: select session': [0, 1],
  'edge: select hotkey_ban': [0, 1],
};

const nothing = {
  ...{ waits: {}, after: {}, messages: {} },
  // A few of `insideMax` are of the sweeper, who looks all the time.
  ...{ signatures: 0, insideMax: 4, walBytesMax: 0 },
} satisfies RequestCost;

export const requestCosts = {
  submission: {
    waits: {
      // Its cooldown, how many of its files were refused lately, before the upload and after it, and the
      // suite.
      ...{
        'edge: select miner': 1,
        'edge: select rejected_submission': 2,
        'edge: select suite': 1,
      },
      // That there is no such version yet.
      ...{ 'actor: select rt.snapshot': 1, 'actor: select work_item': 1 },
      // The roster of the suite, which a partition reads once.
      ...{ 'actor: select suite': [0, 1], 'actor: select suite_problem': [0, 1] },
      'actor: rt.commit': 1,
    },
    after: { 'service: rt.project_facts': 1 },
    messages: { ...asked('submit-version'), ...told('submission-accepted') },
    signatures: 0,
    insideMax: 64,
    walBytesMax: 10_000,
  },
  claim: {
    waits: {
      // The runs that the validator holds, and work for it with what the miners lend.
      'edge: with evaluation_run': 1,
      // What never changes of the version and its suite, which an edge reads once.
      'edge: select agent_version': [0, 1],
      'actor: rt.commit': 1,
    },
    after: { 'service: rt.project_facts': 1 },
    messages: { ...asked('claim-work'), ...told('run-claimed') },
    signatures: 0,
    insideMax: 38,
    walBytesMax: 11_500,
  },
  'first heartbeat': {
    // Where the run is, the edge knows of its claim.
    waits: { 'actor: rt.commit': 1 },
    after: {},
    messages: asked('heartbeat'),
    signatures: 0,
    // Two of them look whether who acts is banned, here and in what validators do below.
    insideMax: 19,
    walBytesMax: 3_300,
  },
  // A deadline in the memory of its owner.
  heartbeat: { ...nothing, messages: asked('heartbeat') },
  'heartbeat, signed': {
    ...nothing,
    // The nonce, on disk before anybody believes the signature.
    waits: { 'service: insert nonce': 1 },
    messages: { 'cmd.eval heartbeat': 1, 'svc.auth record-nonces': 1, answer: 2 },
    signatures: 1,
    walBytesMax: 460,
  },
  'batch of 1 result': {
    ...nothing,
    waits: { 'actor: rt.commit': 1 },
    messages: asked('append-results'),
    insideMax: 21,
    walBytesMax: 3_300,
  },
  'batch of 100 results': {
    ...nothing,
    waits: { 'actor: rt.commit': 1 },
    messages: asked('append-results'),
    // Their run is looked up once for all of them.
    insideMax: 21,
    walBytesMax: 54_000,
  },
  completion: {
    waits: { 'actor: rt.commit': 1 },
    after: { 'service: rt.project_facts': 1 },
    messages: { ...asked('complete-run'), ...told('run-ended') },
    signatures: 0,
    insideMax: 35,
    walBytesMax: 9_000,
  },
  // It makes the version eligible: two facts instead of one, taken together or one by one.
  'last completion': {
    waits: { 'actor: rt.commit': 1 },
    after: { 'service: rt.project_facts': [1, 2] },
    messages: {
      ...asked('complete-run'),
      ...told('run-ended'),
      'fact.version-eligible': 2,
      ...{ 'answer of the stream': 2, 'taken by fact-projector': 2 },
      'sys.public-events': [1, 2],
    },
    signatures: 0,
    insideMax: 55,
    walBytesMax: 16_000,
  },
  'leaderboard, changed': {
    ...nothing,
    waits: {
      // What changed; then, of one moment, that again, the rows of it, and who reigns.
      'edge: select rt.board_change': 2,
      ...{ 'edge: begin': 1, 'edge: with agent_version': 1, 'edge: commit': 1 },
      'edge: select top_agent': 1,
    },
    insideMax: 6,
  },
  leaderboard: { ...nothing, waits: { 'edge: select rt.board_change': 1 } },
  top: { ...nothing, waits: { 'edge: select top_agent': 1 } },
  'top miner payout': { ...nothing, waits: { 'edge: select top_agent': 1 } },
  'current suite': { ...nothing, waits: { 'edge: select suite': 1 } },
  'version status': {
    ...nothing,
    waits: {
      ...{ 'edge: select agent_version': 1, 'edge: select suite': 1 },
      ...{ 'edge: select validator': 1, 'edge: select work_item': 1 },
      ...{ 'edge: with race': 1, 'edge: with rt.event': 1 },
    },
    insideMax: 6,
  },
} as const satisfies Readonly<Record<string, RequestCost>>;

export type RequestName = keyof typeof requestCosts;

/** Of write-ahead log for each result of a batch beyond its first. */
export const resultWalBytesMax = 510;

/** Heartbeats of the evaluation that is counted as a whole, beside its first. */
export const heartbeatsCounted = 20;

/** A claim, its heartbeats, a batch and a completion: nothing is added by what lies between them. */
export const evaluationCost = sumOf([
  requestCosts.claim,
  requestCosts['first heartbeat'],
  ...Array.from({ length: heartbeatsCounted }, () => requestCosts.heartbeat),
  requestCosts['batch of 100 results'],
  requestCosts.completion,
]);

function sumOf(costs: readonly RequestCost[]): RequestCost {
  const sum = (read: (cost: RequestCost) => number) =>
    costs.reduce((total, cost) => total + read(cost), 0);
  const tally = (read: (cost: RequestCost) => Expected): Expected => {
    const labels = new Set(costs.flatMap((cost) => Object.keys(read(cost))));
    const end = (cost: RequestCost, label: string, index: 0 | 1) => {
      const range = read(cost)[label] ?? 0;
      return typeof range === 'number' ? range : range[index];
    };
    const ranges = [...labels].map((label) => {
      const range = [
        sum((cost) => end(cost, label, 0)),
        sum((cost) => end(cost, label, 1)),
      ] as const;
      return [label, range] as const;
    });
    return Object.fromEntries(ranges);
  };
  // On a busy machine more than half a second may pass before each of them.
  const stands = Object.keys(callerStands).map((label) => [label, [0, costs.length]] as const);
  return {
    waits: { ...tally(({ waits }) => waits), ...Object.fromEntries(stands) },
    after: tally(({ after }) => after),
    messages: tally(({ messages }) => messages),
    signatures: sum(({ signatures }) => signatures),
    insideMax: sum(({ insideMax }) => insideMax),
    walBytesMax: sum(({ walBytesMax }) => walBytesMax),
  };
}

const commits = new Set(['actor: rt.commit', 'service: insert nonce', 'service: rt.project_facts']);

/** For people, on their page. */
export function costTable(): string {
  const most = (expected: Expected, isMeant: (label: string) => boolean = () => true) =>
    Object.entries(expected).reduce((total, [label, range]) => {
      if (!isMeant(label)) return total;
      return total + (typeof range === 'number' ? range : range[1]);
    }, 0);
  const isCommit = (label: string) => commits.has(label);
  const rows = Object.entries(requestCosts).map(([name, cost]: [string, RequestCost]) => [
    name,
    most(cost.waits),
    most(cost.waits, isCommit),
    most(cost.after, isCommit),
    most(cost.messages),
    cost.signatures,
    (cost.walBytesMax / 1000).toFixed(1),
  ]);
  const head = [
    'request',
    'statements it waits for',
    'commits among them',
    'commits that follow',
    'messages',
    'signatures',
    'log, kB at most',
  ];
  const lines = [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Allocated on the heaps of edge and owner for a heartbeat by session, a third above what is counted. */
export const heartbeatBytesMax = 80_000;
