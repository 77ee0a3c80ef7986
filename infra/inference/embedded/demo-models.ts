import type { ProviderId, ServedModel } from '../../ports/inference.ts';

/** What a stand-in serves, and what operators of such a service would let agents call there. */
export interface DemoModels {
  readonly served: readonly ServedModel[];
  readonly allowed: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  /** The part that the ranked view shows; empty: all. */
  readonly monitored: readonly string[];
}

function served(modelId: string, load: number, latencyMs: number): ServedModel {
  return { modelId, healthy: true, load, latencyMs };
}

/** The last of providera's is still allowed there, but only providerb serves it. */
export const demoModels: Readonly<Record<ProviderId, DemoModels>> = {
  providera: {
    served: [
      served('maple/maple-70b-instruct', 0.62, 410),
      served('maple/maple-8b-instruct', 0.18, 95),
      served('birch/birch-32b-coder', 0.35, 240),
      served('cedar/cedar-27b', 0.35, 210),
      served('dune/dune-v3', 0.81, 730),
      served('fjord/fjord-235b', 0.44, 520),
      // Served, and yet nothing that agents may call.
      served('grove/grove-vision-12b', 0.05, 130),
    ],
    allowed: [
      'maple/maple-70b-instruct',
      'maple/maple-8b-instruct',
      'birch/birch-32b-coder',
      'cedar/cedar-27b',
      'dune/dune-v3',
      'fjord/fjord-235b',
      'ember/ember-r1',
    ],
    aliases: {
      large: 'maple/maple-70b-instruct',
      small: 'maple/maple-8b-instruct',
      coder: 'birch/birch-32b-coder',
      reasoner: 'ember/ember-r1',
    },
    monitored: [],
  },
  providerb: {
    served: [
      served('maple/maple-70b-instruct', 0.4, 380),
      served('maple/maple-8b-instruct', 0.22, 120),
      served('cedar/cedar-27b', 0.3, 260),
      served('dune/dune-v3', 0.55, 640),
      served('ember/ember-r1', 0.71, 900),
      served('heath/heath-large', 0.12, 450),
    ],
    allowed: [
      'maple/maple-70b-instruct',
      'maple/maple-8b-instruct',
      'cedar/cedar-27b',
      'dune/dune-v3',
      'ember/ember-r1',
      'heath/heath-large',
    ],
    aliases: { large: 'maple/maple-70b-instruct', reasoner: 'ember/ember-r1' },
    monitored: ['maple/maple-70b-instruct', 'dune/dune-v3', 'ember/ember-r1', 'heath/heath-large'],
  },
};
