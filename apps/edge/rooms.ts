import type { IncomingMessage } from 'node:http';
import type { Config } from '../../infra/config/config.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import type { Dispatch } from './dispatch.ts';
import { Admission } from './middleware/admission.ts';
import { ComingBodies } from './middleware/coming-bodies.ts';
import { LargeBodies } from './middleware/large-bodies.ts';
import { UploadSlots } from './middleware/upload-slots.ts';
import { PublicReads } from './public-reads/public-reads.ts';

type Rooms = Pick<
  Dispatch,
  'admission' | 'comingBodies' | 'largeBodies' | 'publicReads' | 'uploads'
>;

// A miner sends one at a time; dozens at once only come from tests of the cooldown's lock.
const uploadsPerKeyMax = 32;
/** A third of what claims and reads are let in for: slow uploads shed each other first. */
const uploadsMax = 256;

/** What of an edge is bounded for all callers together: requests, bodies that come and large answers that go. */
export function openRooms(
  {
    config,
    clock,
    telemetry,
  }: {
    readonly config: Config;
    readonly clock: Clock;
    readonly telemetry: Pick<Telemetry, 'count'>;
  },
  addressOf: (request: IncomingMessage) => string,
): Rooms {
  const shed = (lane: 'coming-body' | 'large-body') => () =>
    telemetry.count('paddock.edge.shed', 1, { lane });
  return {
    admission: new Admission(),
    uploads: new UploadSlots({ perKeyMax: uploadsPerKeyMax, max: uploadsMax }),
    comingBodies: new ComingBodies(shed('coming-body')),
    largeBodies: largeBodiesOf(config, shed('large-body')),
    publicReads: new PublicReads({
      ...{ clock, telemetry, addressOf, largestBytes: config.artifactBytesMax },
      bytesPerSecondMin: config.answerBytesPerSecondMin,
      patienceMs: config.requestSeconds * 1000,
    }),
  };
}

function largeBodiesOf(config: Config, onRefused: () => void): Dispatch['largeBodies'] {
  const room = (largestBytes: number) => new LargeBodies(largestBytes, onRefused);
  return {
    completion: room(config.resultsBodyBytesMax),
    inference: room(config.inferenceBodyBytesMax),
    results: room(config.resultsBodyBytesMax),
  };
}
