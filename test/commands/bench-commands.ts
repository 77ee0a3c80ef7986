import { benchBlocks } from './bench-blocks.ts';
import { command, file, flag, names, whole } from './command-line.ts';
import { clients, processes, secondsOfADay } from './sizes.ts';

const json = file('where the figures are written as JSON');

export const benchCommand = command({
  script: 'bench',
  says: 'This service beside what people would pick instead and what the machine can do: the ratios.',
  options: {
    quick: flag('less than four minutes: fewer parts, shorter and fewer rounds'),
    only: names('only these parts', benchBlocks),
    rounds: { type: 'number', unit: 'rounds of each comparison', min: 1, max: 1000 },
    history: { type: 'number', unit: 'finished runs in `held`', min: 1000, max: 10_000_000 },
    kills: { type: 'number', unit: 'kills of a coordinator', min: 1, max: 1000 },
    profile: names('only these parts, and flame graphs of edges and coordinators', benchBlocks),
    folder: file('the folder for the report as JSON and as a page with plots, and for profiles'),
  },
});

export const benchLifecycleCommand = command({
  script: 'bench:lifecycle',
  says: 'Each step of an evaluation through HTTP, at saturation.',
  options: {
    seconds: whole(60, 'seconds of measuring; the set-up comes on top', secondsOfADay),
    validators: whole(200, 'validators', clients),
    edges: whole(1, 'edges', processes),
    coordinators: whole(1, 'coordinators', processes),
    tasks: whole(100, 'tasks per run, and so items per batch', { max: 1000 }),
    connections: whole(64, 'connections', clients),
    json,
  },
});

export const benchSimilarityCommand = command({
  script: 'bench:similarity',
  says: 'What it costs to compare one file with thousands of earlier ones.',
  options: {
    hotkeys: whole(500, 'hotkeys'),
    versions: whole(10, 'versions of each hotkey', { max: 10_000 }),
    kilobytes: whole(100, 'kilobytes of each file', { max: 1000 }),
    rounds: whole(20, 'comparisons'),
  },
});

export const benchForgedCommand = command({
  script: 'bench:forged',
  says: 'What honest validators feel of forged requests.',
  options: {
    seconds: whole(10, 'seconds of each of the six measurements of a round', secondsOfADay),
    rounds: whole(7, 'rounds', { max: 10_000 }),
    honest: whole(100, 'honest requests per second'),
    forged: whole(600, 'forged requests per second'),
    validators: whole(50, 'validators', clients),
    edges: whole(2, 'edges', processes),
    json,
  },
});

export const benchPagesCommand = command({
  script: 'bench:pages',
  says: 'What an episode of 100 MB costs a page in a real Chromium.',
  options: { rounds: whole(3, 'times that each form is opened', { max: 100 }) },
});
