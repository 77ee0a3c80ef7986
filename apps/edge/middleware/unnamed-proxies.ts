import { isPublicAddress } from '../../../infra/outbound/public-address.ts';
import type { Logger } from '../../../infra/ports/log.ts';

/** A process has few proxies before it; more are of no use to who reads its log. */
const toldMax = 16;

/**
 * Tells the log of each proxy that TRUSTED_PROXIES leaves out, once: all whom it forwards for share the limits
 * of one address. A peer of the open internet is none of ours and may claim to forward as it likes.
 */
export function unnamedProxies(log: Logger): (peer: string) => void {
  const told = new Set<string>();
  return (peer) => {
    if (told.size >= toldMax || told.has(peer) || isPublicAddress(peer)) return;
    told.add(peer);
    log.warn('a proxy is not named in TRUSTED_PROXIES: all that it forwards share one limit', {
      peer,
    });
  };
}
