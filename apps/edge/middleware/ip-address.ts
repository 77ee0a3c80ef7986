import { isIP } from 'node:net';

/**
 * The one spelling of an IP address: IPv4 with dots; IPv6 as eight groups of lower-case hex without
 * leading zeros, without its zone; an IPv4 address inside IPv6 (`::ffff:a.b.c.d`, as a dual-stack
 * socket shows it) as the IPv4. Undefined for anything else.
 */
export function plainAddress(text: string): string | undefined {
  const zone = text.indexOf('%');
  const address = zone < 0 ? text : text.slice(0, zone);
  const family = isIP(address);
  if (family === 4) return address;
  if (family !== 6) return undefined;
  const groups = groupsOf(address);
  const plain = groups.map((group) => group.toString(16)).join(':');
  return plain.startsWith('0:0:0:0:0:ffff:') ? dotted(groups) : plain;
}

/**
 * Whom a limit by address means: one IPv4 address, or the /64 of an IPv6 one. A /64 is the smallest
 * network that is handed out, and whoever has one can send from 2^64 addresses.
 */
export function addressBlock(plain: string): string {
  return isIP(plain) === 6 ? `${plain.split(':').slice(0, 4).join(':')}::/64` : plain;
}

/** Of a valid IPv6 address; `::` stands for as many zeros as are missing from eight. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const before = numbersOf(head);
  if (tail === undefined) return before;
  const after = numbersOf(tail);
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after];
}

function numbersOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function dotted(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}
