import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Who asked: the peer of the connection or, behind trusted proxies, the last address of
 * `X-Forwarded-For` that none of them has. Anything to the left of it is the client's own claim.
 */
export function remoteAddressReader(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => string {
  const trusted = blockList(trustedProxies);
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    if (trustedProxies.length === 0 || !isTrusted(trusted, peer)) return peer;
    const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
    for (const entry of forwarded.reverse()) {
      const address = plainAddress(entry.trim());
      if (isIP(address) === 0) return peer;
      if (!isTrusted(trusted, address)) return address;
    }
    return peer;
  };
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function isTrusted(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** An IPv4 peer of a dual-stack socket shows as ::ffff:a.b.c.d. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
