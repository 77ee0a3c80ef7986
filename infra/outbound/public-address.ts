import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Not for the world: IANA's special-purpose registry, multicast and what is reserved. */
const notPublic = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  notPublic.addSubnet(address, prefix, 'ipv4');
}

/** Global unicast alone; the rest of the space is local, mapped, translated or unassigned. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
/** Within it: protocol assignments with Teredo, documentation, and 6to4, which carries IPv4. */
for (const [address, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  notPublic.addSubnet(address, prefix, 'ipv6');
}

/** Whether an address is one of the open internet; anything that is no address is not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4');
  if (!isIPv6(address)) return false;
  return globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}
