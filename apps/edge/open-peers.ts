import type { RegistrationCache } from '../../infra/chain/registration-cache.ts';
import { createEdgePeers, type EdgePeersDeps } from '../../infra/nats/edge-peers.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { EdgeBeacon, EdgePeers } from '../../infra/ports/edge-peers.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { type NewcomerDeps, newcomersWay } from './auth/newcomer.ts';
import { ProofWatch } from './auth/proof-watch.ts';
import { type Begun, begun } from './begun.ts';

export interface OpenPeers {
  readonly peers: EdgeBeacon & EdgePeers & Service;
  readonly proofs: Begun<ProofWatch>;
}

/** Heard of by hosts from its start, and only while this edge could let somebody in. */
export function openPeers(
  {
    clock,
    log,
    telemetry,
  }: { readonly clock: Clock; readonly log: Logger; readonly telemetry: Telemetry },
  by: Pick<EdgePeersDeps, 'connection' | 'name'> & {
    readonly newcomer: Omit<NewcomerDeps, 'clock' | 'key'>;
    readonly registrations: RegistrationCache;
  },
  stack: AsyncDisposableStack,
): OpenPeers {
  const { connection, name, newcomer, registrations } = by;
  const way = newcomersWay({ ...newcomer, clock, key: `edge:${name}` });
  const onOpened = () => peers.speak();
  const proofs = new ProofWatch({ way, registrations, onOpened, clock, log });
  const peers = createEdgePeers({
    ...{ connection, clock, log, name },
    isServing: () => proofs.isAble,
    waitMs: () => proofs.waitMs,
  });
  const watching = begun(proofs, stack);
  stack.defer(telemetry.gauge('paddock.edge.proof_wait', () => proofs.waitMs));
  stack.adopt(peers, () => peers.stop());
  return { peers, proofs: watching };
}
