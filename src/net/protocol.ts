/** IP protocols that have a shape of their own here; others are carried by number. */
export type Protocol = 'tcp' | 'udp' | 'sctp' | 'icmp' | 'icmpv6' | 'other';
/** Protocols with ports. */
export type TransportProtocol = 'tcp' | 'udp' | 'sctp';

/** IANA protocol numbers. */
export const PROTOCOL_NUMBER = { tcp: 6, udp: 17, sctp: 132, icmp: 1, icmpv6: 58 } as const;

export function isTransportProtocol(text: string): text is TransportProtocol {
  return text === 'tcp' || text === 'udp' || text === 'sctp';
}
