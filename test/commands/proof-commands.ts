import { command, file, flag, names, seed, whole } from './command-line.ts';
import { clients, processes, secondsOfADay } from './sizes.ts';

export const proofHistoryCommand = command({
  script: 'proof:history',
  says: 'A backup is restored under the running service.',
  options: {},
});

export const proofRacesCommand = command({
  script: 'proof:races',
  says: 'A year of race days with faults on the simulated clock, all of it recomputed.',
  options: {
    days: whole(365, 'race days', { max: 100_000 }),
    miners: whole(50, 'miners', clients),
    validators: whole(64, 'validators', clients),
    edges: whole(2, 'edges', processes),
    coordinators: whole(3, 'coordinators', processes),
    seed,
    'no-faults': flag('a world in which nothing fails'),
  },
});

export const proofRequestsCommand = command({
  script: 'proof:requests',
  says: 'Generated requests, right and wrong: each answer is held to the OpenAPI document.',
  options: {
    count: whole(100_000, 'requests', { max: 1_000_000_000 }),
    seed,
    edges: whole(2, 'edges', processes),
    coordinators: whole(2, 'coordinators', processes),
    concurrency: whole(16, 'requests at the same time', clients),
  },
});

export const proofHonestCommand = command({
  script: 'proof:honest',
  says: 'CPython compiles a hundred honest agents, and the analyser accepts each.',
  options: {},
});

export const proofEvasionsCommand = command({
  script: 'proof:evasions',
  says: 'The analyser and CPython on every evasion and its mutants.',
  options: {},
  places: { MUTANTS: whole(20, 'mutants of each evasion', { min: 0, max: 10_000 }), SEED: seed },
});

export const proofPythonCommand = command({
  script: 'proof:python',
  says: 'Our reading of Python against CPython, and every bomb.',
  options: {
    count: whole(20_000, 'files made at random', { max: 1_000_000_000 }),
    seed,
    bombs: flag('bombs alone'),
    only: names('bombs, and nothing else'),
  },
});

export const proofContractCommand = command({
  script: 'proof:contract',
  says: 'Takes routes, fields and codes from copies of the product: a test must see each.',
  options: {},
  places: { SEED: seed, COUNT: whole(10, 'routes, fields and codes', { max: 10_000 }) },
});

export const proofSecretsCommand = command({
  script: 'proof:secrets',
  says: 'Plants secrets by every way in, then looks for each in every byte on disk.',
  options: {
    secrets: whole(1000, 'secrets'),
    runs: whole(8, 'runs that hold some', { max: 1000 }),
    'kill-every': whole(150, 'secrets between two kills'),
    seed,
  },
});

export const proofSignaturesCommand = command({
  script: 'proof:signatures',
  says: 'Our verdict on mutated signatures, keys and messages, and that of wasm-crypto alone.',
  options: { count: whole(1_000_000, 'claims', { max: 1_000_000_000 }), seed },
});

export const proofLifecycleCommand = command({
  script: 'proof:lifecycle',
  says: 'Simulated validators, while a coordinator is killed every few seconds.',
  options: {
    minutes: whole(2, 'minutes', { max: 10_080 }),
    validators: whole(200, 'validators', clients),
    'kill-every': whole(10, 'seconds between two kills', secondsOfADay),
    seed,
    edges: whole(2, 'edges', processes),
    coordinators: whole(3, 'coordinators', processes),
  },
});

export const proofEventsCommand = command({
  script: 'proof:events',
  says: 'Listeners on bad lines and moody receivers of webhooks: none lost, none twice, none early.',
  options: {
    minutes: whole(2, 'minutes', { max: 10_080 }),
    listeners: whole(40, 'listeners', clients),
    webhooks: whole(9, 'webhooks', { max: 1000 }),
    validators: whole(16, 'validators', clients),
    seed,
  },
});

export const proofFirstStartCommand = command({
  script: 'proof:first-start',
  says: 'From npm start in a copy that never ran to the first row of the leaderboard in a browser.',
  options: { seconds: whole(120, 'seconds that it may take', { max: 3_600 }) },
});

export const proofGuidesCommand = command({
  script: 'proof:guides',
  says: 'Every command of the guides, typed by a newcomer on machines of Debian where nothing was installed.',
  options: {
    only: names('guides, and no others', ['miners', 'validators', 'operators']),
    base: file('a folder for the Debian that the machines are copies of; kept, and used again'),
  },
});
