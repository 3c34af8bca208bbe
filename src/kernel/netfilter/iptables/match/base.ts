import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { isLaterFragment } from '../../../../net/packet.ts';
import { coversAll, formatHostMask, hostMaskContains } from '../host-mask.ts';
import { protocolName } from '../protocol-names.ts';
import { not } from '../value.ts';
import type { L4Header } from '../../../../net/packet.ts';
import type { HostMask } from '../host-mask.ts';
import type { Match } from './match.ts';

/** The options that need no module (struct ipt_ip), each with its negation. */
export interface BaseOptions {
  readonly source?: { readonly host: HostMask; readonly negated: boolean };
  readonly destination?: { readonly host: HostMask; readonly negated: boolean };
  readonly inInterface?: { readonly name: string; readonly negated: boolean };
  readonly outInterface?: { readonly name: string; readonly negated: boolean };
  readonly protocol?: { readonly number: number; readonly negated: boolean };
  readonly fragment?: { readonly negated: boolean };
}

/** Compiles the base options in the order in which iptables-save prints them; what holds always leaves no match. */
export function baseMatches(options: BaseOptions): Match[] {
  const matches: Match[] = [];
  const add = (text: string, test: Match['test']) => matches.push({ module: '', text, test });
  const { source, destination, inInterface, outInterface, protocol, fragment } = options;
  if (source && (source.negated || !coversAll(source.host))) {
    const { host, negated } = source;
    add(`${not(negated)}-s ${formatHostMask(host)}`, (c) => hostMaskContains(host, c.packet.src) !== negated);
  }
  if (destination && (destination.negated || !coversAll(destination.host))) {
    const { host, negated } = destination;
    add(`${not(negated)}-d ${formatHostMask(host)}`, (c) => hostMaskContains(host, c.packet.dst) !== negated);
  }
  if (inInterface && !matchesAny(inInterface)) {
    const { name, negated } = inInterface;
    add(`${not(negated)}-i ${name}`, (c) => interfaceMatches(name, c.inDevice) !== negated);
  }
  if (outInterface && !matchesAny(outInterface)) {
    const { name, negated } = outInterface;
    add(`${not(negated)}-o ${name}`, (c) => interfaceMatches(name, c.outDevice) !== negated);
  }
  if (protocol && (protocol.negated || protocol.number !== 0)) {
    const { number, negated } = protocol;
    add(`${not(negated)}-p ${protocolName(number)}`, (c) => (protocolOf(c.packet.l4) === number) !== negated);
  }
  if (fragment) {
    const { negated } = fragment;
    add(`${not(negated)}-f`, (c) => isLaterFragment(c.packet) !== negated);
  }
  return matches;
}

/** Compares a device's name with a rule's, which may end in the wildcard "+" (ifname_compare); no device is an empty name. */
export function interfaceMatches(pattern: string, device: string | null): boolean {
  return pattern.endsWith('+') ? (device ?? '').startsWith(pattern.slice(0, -1)) : device === pattern;
}

/** IANA number of a packet's protocol. */
export function protocolOf(l4: L4Header): number {
  return l4.protocol === 'other' ? l4.number : PROTOCOL_NUMBER[l4.protocol];
}

function matchesAny({ name, negated }: { readonly name: string; readonly negated: boolean }): boolean {
  return name === '+' && !negated;
}
