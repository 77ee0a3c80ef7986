import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { addressBlock, plainAddress } from './ip-address.ts';

/**
 * Who asked, as far as limits by address tell them apart (an IPv4 address, the /64 of an IPv6 one):
 * the peer of the connection or, behind trusted proxies, the last address of `X-Forwarded-For` that
 * none of them has. Anything to the left of it is the client's own claim.
 *
 * Each proxy vouches for the entry that it added, so the walk from the right ends at what is no
 * address (`unknown`, a token) with the proxy that wrote it. Empty entries are no entries.
 * RFC 7239 `Forwarded` is not read: proxies that write only the other header would pass a client's
 * `Forwarded` through untouched.
 *
 * `onForwarder` hears of each peer that forwards for others and is not trusted to.
 */
export function remoteAddressReader(
  trustedProxies: readonly string[],
  onForwarder: (peer: string) => void = () => undefined,
): (request: IncomingMessage) => string {
  const trusted = blockList(trustedProxies);
  return (request) => {
    const socketAddress = request.socket.remoteAddress ?? '';
    let nearest = plainAddress(socketAddress) ?? socketAddress;
    const forwardedFor = request.headers['x-forwarded-for'];
    if (forwardedFor === undefined) return addressBlock(nearest);
    if (!isTrusted(trusted, nearest)) onForwarder(nearest);
    // Node joins the lines of a header that comes several times with commas, in their order.
    const entries = String(forwardedFor).split(',');
    while (isTrusted(trusted, nearest)) {
      const entry = entries.pop();
      if (entry === undefined) break;
      if (entry.trim() === '') continue;
      const address = forwardedAddress(entry.trim());
      if (address === undefined) break;
      nearest = address;
    }
    return addressBlock(nearest);
  };
}

/**
 * Whether the client spoke TLS: to us, or to the trusted proxy that the connection comes from.
 * Anybody else's `X-Forwarded-Proto` is a claim. The last entry is that proxy's own.
 */
export function secureReader(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => boolean {
  const isProxy = proxyCheck(trustedProxies);
  return ({ socket, headers }) => {
    if ('encrypted' in socket && socket.encrypted === true) return true;
    if (!isProxy(socket.remoteAddress)) return false;
    const entries = String(headers['x-forwarded-proto'] ?? '').split(',');
    return entries.at(-1)?.trim().toLowerCase() === 'https';
  };
}

/** Whether the peer of a connection is one of ours; undefined once it is gone. */
export function proxyCheck(
  trustedProxies: readonly string[],
): (peer: string | undefined) => boolean {
  if (trustedProxies.length === 0) return () => false;
  const trusted = blockList(trustedProxies);
  return (peer = '') => isTrusted(trusted, plainAddress(peer) ?? '');
}

/** `a.b.c.d`, `a.b.c.d:port`, `x::y`, `[x::y]` and `[x::y]:port`, as proxies write them. */
function forwardedAddress(entry: string): string | undefined {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1];
  const withPort = /^([\d.]+):\d{1,5}$/.exec(entry)?.[1];
  return plainAddress(bracketed ?? withPort ?? entry);
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [text = '', prefix] = range.split('/');
    // As the peers are spelled, except for a range: its prefix counts bits of what is written.
    const address = prefix === undefined ? (plainAddress(text) ?? text) : text;
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
