import { formatIp, isIpv4 } from '../../../net/ip.ts';
import { isLaterFragment, portsOf } from '../../../net/packet.ts';
import { PROTOCOL_NUMBER } from '../../../net/protocol.ts';
import { protocolName } from '../iptables/protocol-names.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Packet } from '../../../net/packet.ts';
import type { ConntrackView } from '../conntrack/view.ts';
import type { AddressType } from '../iptables/context.ts';

/** What selectors may look at. */
export interface NftPacket {
  readonly packet: Packet;
  readonly mark: number;
  readonly inDevice: string | null;
  readonly outDevice: string | null;
  readonly packetType: 'unicast' | 'broadcast' | 'multicast';
  readonly conntrack: ConntrackView;
  addressType(address: IpAddress, device: string | null): AddressType;
}

/** A value as nft prints it, and by number where it has an order. `flags`: a field of bits, by the names of those that are set. */
export interface NftDatum {
  readonly text: string;
  readonly number: bigint | null;
  readonly flags?: readonly string[];
}

type Read = (packet: NftPacket) => NftDatum | null;

/** Every selector that k8snet models, as nft prints it. null: the packet has no such field, and the rule ends. */
const SELECTORS = {
  'ip saddr': ({ packet }) => (isIpv4(packet.src) ? addressDatum(packet.src) : null),
  'ip daddr': ({ packet }) => (isIpv4(packet.dst) ? addressDatum(packet.dst) : null),
  'ip protocol': ({ packet }) => (isIpv4(packet.src) ? protocolDatum(packet) : null),
  'ip ttl': ({ packet }) => (isIpv4(packet.src) ? numberDatum(packet.ttl) : null),
  'ip6 saddr': ({ packet }) => (isIpv4(packet.src) ? null : addressDatum(packet.src)),
  'ip6 daddr': ({ packet }) => (isIpv4(packet.dst) ? null : addressDatum(packet.dst)),
  'ip6 nexthdr': ({ packet }) => (isIpv4(packet.src) ? null : protocolDatum(packet)),
  'ip6 hoplimit': ({ packet }) => (isIpv4(packet.src) ? null : numberDatum(packet.ttl)),
  'tcp sport': ({ packet }) => portDatum(packet, 'sport', 'tcp'),
  'tcp dport': ({ packet }) => portDatum(packet, 'dport', 'tcp'),
  'udp sport': ({ packet }) => portDatum(packet, 'sport', 'udp'),
  'udp dport': ({ packet }) => portDatum(packet, 'dport', 'udp'),
  'sctp sport': ({ packet }) => portDatum(packet, 'sport', 'sctp'),
  'sctp dport': ({ packet }) => portDatum(packet, 'dport', 'sctp'),
  'th sport': ({ packet }) => portDatum(packet, 'sport', null),
  'th dport': ({ packet }) => portDatum(packet, 'dport', null),
  'icmp type': ({ packet }) => icmpDatum(packet, 'icmp'),
  'icmpv6 type': ({ packet }) => icmpDatum(packet, 'icmpv6'),
  'meta l4proto': ({ packet }) => protocolDatum(packet),
  'meta nfproto': ({ packet }) => nameDatum(isIpv4(packet.src) ? 'ipv4' : 'ipv6'),
  'meta mark': ({ mark }) => markDatum(mark),
  'meta pkttype': ({ packetType }) => nameDatum(packetType === 'unicast' ? 'host' : packetType),
  iif: ({ inDevice }) => deviceDatum(inDevice),
  oif: ({ outDevice }) => deviceDatum(outDevice),
  iifname: ({ inDevice }) => deviceDatum(inDevice),
  oifname: ({ outDevice }) => deviceDatum(outDevice),
  'ct state': ({ conntrack }) => flagsDatum([conntrack.state.toLowerCase()]),
  'ct status': ({ conntrack }) => ('direction' in conntrack ? flagsDatum(statusOf(conntrack)) : null),
  'ct direction': ({ conntrack }) => ('direction' in conntrack ? nameDatum(conntrack.direction) : null),
  'ct mark': ({ conntrack }) => ('direction' in conntrack ? markDatum(conntrack.mark) : null),
  'fib saddr type': (view) => typeDatum(view, view.packet.src, null),
  'fib daddr type': (view) => typeDatum(view, view.packet.dst, null),
  'fib daddr . iif type': (view) => typeDatum(view, view.packet.dst, view.inDevice),
} satisfies Readonly<Record<string, Read>>;

/** As nft names them (icmp_type and icmp6_type of its datatypes). */
// biome-ignore format: a table reads better in rows
const ICMP_TYPES: Readonly<Record<'icmp' | 'icmpv6', ReadonlyMap<number, string>>> = {
  icmp: new Map([
    [0, 'echo-reply'], [3, 'destination-unreachable'], [4, 'source-quench'], [5, 'redirect'], [8, 'echo-request'],
    [9, 'router-advertisement'], [10, 'router-solicitation'], [11, 'time-exceeded'], [12, 'parameter-problem'],
    [13, 'timestamp-request'], [14, 'timestamp-reply'], [15, 'info-request'], [16, 'info-reply'], [17, 'address-mask-request'],
    [18, 'address-mask-reply'],
  ]),
  icmpv6: new Map([
    [1, 'destination-unreachable'], [2, 'packet-too-big'], [3, 'time-exceeded'], [4, 'parameter-problem'], [128, 'echo-request'],
    [129, 'echo-reply'], [130, 'mld-listener-query'], [131, 'mld-listener-report'], [132, 'mld-listener-done'],
    [133, 'nd-router-solicit'], [134, 'nd-router-advert'], [135, 'nd-neighbor-solicit'], [136, 'nd-neighbor-advert'],
    [137, 'nd-redirect'], [138, 'router-renumbering'], [141, 'ind-neighbor-solicit'], [142, 'ind-neighbor-advert'],
    [143, 'mld2-listener-report'],
  ]),
};

export type NftSelector = keyof typeof SELECTORS;

/** Value of a selector; null when the packet has no such field. */
export function readSelector(selector: NftSelector, packet: NftPacket): NftDatum | null {
  return SELECTORS[selector](packet);
}

/** The longest selector that the words begin with, and of how many words it is; null for none that is modelled. */
export function selectorAt(
  words: readonly string[],
  at: number,
): { readonly selector: NftSelector; readonly length: number } | null {
  for (let length = 5; length > 0; length--) {
    const text = words.slice(at, at + length).join(' ');
    if (isSelector(text)) return { selector: text, length: text.split(' ').length };
  }
  return null;
}

function isSelector(text: string): text is NftSelector {
  return Object.hasOwn(SELECTORS, text);
}

export function numberDatum(value: number): NftDatum {
  return { text: String(value), number: BigInt(value) };
}

export function markDatum(mark: number): NftDatum {
  return { text: `0x${(mark >>> 0).toString(16).padStart(8, '0')}`, number: BigInt(mark >>> 0) };
}

function addressDatum(address: IpAddress): NftDatum {
  return { text: formatIp(address), number: BigInt(address) };
}

function nameDatum(text: string): NftDatum {
  return { text, number: null };
}

/** nft_meta_store_ifname: where the hook has no device its name is empty, and so unlike any. */
function deviceDatum(name: string | null): NftDatum {
  return nameDatum(`"${name ?? ''}"`);
}

function flagsDatum(flags: readonly string[]): NftDatum {
  return { text: flags.join(','), number: null, flags };
}

function protocolDatum({ l4 }: Packet): NftDatum {
  const number = l4.protocol === 'other' ? l4.number : PROTOCOL_NUMBER[l4.protocol];
  return { text: protocolName(number), number: BigInt(number) };
}

function portDatum(packet: Packet, side: 'sport' | 'dport', protocol: 'tcp' | 'udp' | 'sctp' | null): NftDatum | null {
  const ports = isLaterFragment(packet) || (protocol !== null && packet.l4.protocol !== protocol) ? null : portsOf(packet);
  return ports && numberDatum(ports[side]);
}

function icmpDatum(packet: Packet, protocol: 'icmp' | 'icmpv6'): NftDatum | null {
  const { l4 } = packet;
  if (isLaterFragment(packet) || l4.protocol !== protocol || !('type' in l4)) return null;
  return { text: ICMP_TYPES[protocol].get(l4.type) ?? String(l4.type), number: BigInt(l4.type) };
}

function typeDatum(view: NftPacket, address: IpAddress, device: string | null): NftDatum {
  return nameDatum(view.addressType(address, device).toLowerCase());
}

function statusOf(view: Extract<ConntrackView, { readonly direction: string }>): readonly string[] {
  const flags: readonly (readonly [string, boolean])[] = [
    ['expected', view.expected],
    ['seen-reply', view.seenReply],
    ['assured', view.assured],
    ['confirmed', view.confirmed],
    ['snat', view.snat],
    ['dnat', view.dnat],
  ];
  return flags.flatMap(([name, isSet]) => (isSet ? [name] : []));
}
