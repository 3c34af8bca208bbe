/** Names of IP protocols as iptables prints them: libxtables' own, then /etc/protocols. Later names of a number are only read. */
// biome-ignore format: a table reads better in rows
const PROTOCOLS: readonly (readonly [string, number])[] = [
  ['tcp', 6], ['sctp', 132], ['udp', 17], ['udplite', 136], ['icmp', 1], ['ipv6-icmp', 58], ['icmpv6', 58], ['esp', 50], ['ah', 51],
  ['mobility-header', 135], ['ipv6-mh', 135], ['mh', 135], ['igmp', 2], ['ggp', 3], ['ipencap', 4], ['ipip', 4], ['st', 5], ['egp', 8],
  ['igp', 9], ['pup', 12], ['hmp', 20], ['xns-idp', 22], ['rdp', 27], ['iso-tp4', 29], ['dccp', 33], ['xtp', 36], ['ddp', 37],
  ['idpr-cmtp', 38], ['ipv6', 41], ['ipv6-route', 43], ['ipv6-frag', 44], ['idrp', 45], ['rsvp', 46], ['gre', 47], ['skip', 57],
  ['ipv6-nonxt', 59], ['ipv6-opts', 60], ['rspf', 73], ['vmtp', 81], ['eigrp', 88], ['ospf', 89], ['ospfigp', 89], ['ax.25', 93],
  ['etherip', 97], ['encap', 98], ['pim', 103], ['ipcomp', 108], ['vrrp', 112], ['l2tp', 115], ['isis', 124], ['fc', 133],
  ['mpls-in-ip', 137], ['manet', 138], ['hip', 139], ['shim6', 140], ['wesp', 141], ['rohc', 142], ['ethernet', 143],
];

const NUMBERS = new Map(PROTOCOLS);
const NAMES = new Map([...PROTOCOLS].reverse().map(([name, number]) => [number, name]));

/** Number of a protocol by name (any case) or number; 0 for "all"; undefined when there is none. */
export function protocolNumber(text: string): number | undefined {
  if (/^\d{1,3}$/.test(text)) return Number(text) <= 255 ? Number(text) : undefined;
  const name = text.toLowerCase();
  return name === 'all' ? 0 : NUMBERS.get(name);
}

/** Name of a protocol; its number where it has none. */
export function protocolName(number: number): string {
  return NAMES.get(number) ?? `${number}`;
}
