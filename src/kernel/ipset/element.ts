import { cidrBits, cidrLast, cidrOf, parseCidr } from '../../net/cidr.ts';
import { addToIp, compareIp, familyOf, formatIp, parseIp } from '../../net/ip.ts';
import { parseMac } from '../../net/mac.ts';
import { isTransportProtocol } from '../../net/protocol.ts';
import { portOfService } from '../netfilter/iptables/service-names.ts';
import { assertNever } from '../../support/assert-never.ts';
import { hostLength } from './lookup.ts';
import { dimensionsOf } from './set-type.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { DimensionKind } from './set-type.ts';
import type { IpSet, SetField } from './ipset.ts';

type SetKind = Pick<IpSet, 'type' | 'family' | 'options'>;
type PortProtocol = Extract<SetField, { kind: 'port' }>['protocol'];

/** Elements that one word may stand for; ipset itself goes up to 2^31. */
const MAX_ELEMENTS = 65_536;

// biome-ignore format: a table reads better in rows
const ICMP_NAMES: ReadonlyMap<string, number> = new Map([
  ['echo-reply', 0], ['network-unreachable', 0x300], ['host-unreachable', 0x301], ['protocol-unreachable', 0x302],
  ['port-unreachable', 0x303], ['fragmentation-needed', 0x304], ['source-route-failed', 0x305], ['network-prohibited', 0x309],
  ['host-prohibited', 0x30a], ['communication-prohibited', 0x30d], ['echo-request', 0x800], ['ttl-zero-during-transit', 0xb00],
]);
// biome-ignore format: a table reads better in rows
const ICMPV6_NAMES: ReadonlyMap<string, number> = new Map([
  ['no-route', 0x100], ['communication-prohibited', 0x101], ['address-unreachable', 0x103], ['port-unreachable', 0x104],
  ['packet-too-big', 0x200], ['ttl-zero-during-transit', 0x300], ['echo-request', 0x8000], ['echo-reply', 0x8100],
]);

/**
 * Reads an element ("10.0.0.1,tcp:80", "10.0.0.0/8", "80-82") as the fields of each entry it stands for: ipset takes ranges apart.
 * Returns what is wrong with it as text.
 */
export function parseElement(set: SetKind, text: string): readonly (readonly SetField[])[] | string {
  const dimensions = dimensionsOf(set.type);
  if (!dimensions) return `a set of type ${set.type} is not modelled`;
  const parts = text.split(',');
  if (parts.length > dimensions.length) return `Syntax error: Elem separator in ${text}, but settype ${set.type} supports none.`;
  const isMacOptional = set.type === 'bitmap:ip,mac' && parts.length === 1;
  if (parts.length < dimensions.length && !isMacOptional) {
    return `Syntax error: ${parts.length === 1 ? 'Second' : 'Third'} element is missing from ${text}.`;
  }
  let elements: readonly (readonly SetField[])[] = [[]];
  for (const [i, part] of parts.entries()) {
    const choices = parsePart(dimensions[i]!, set, part);
    if (typeof choices === 'string') return choices;
    elements = elements.flatMap((fields) => choices.map((field) => [...fields, field]));
    if (elements.length > MAX_ELEMENTS) return `${text} stands for more than ${MAX_ELEMENTS} elements`;
  }
  return elements;
}

/** As `ipset save` prints an element. */
export function formatElement(set: SetKind, fields: readonly SetField[]): string {
  const dimensions = dimensionsOf(set.type) ?? [];
  return fields.map((field, i) => formatField(field, dimensions[i] ?? 'net')).join(',');
}

function parsePart(kind: DimensionKind, set: SetKind, text: string): readonly SetField[] | string {
  switch (kind) {
    case 'ip':
      return parseHosts(set, text);
    case 'net':
      return parseNets(set, text);
    case 'port':
      return parsePorts(set, text);
    case 'mac': {
      const mac = parseMac(text);
      return mac ? [{ kind: 'mac', mac }] : `Syntax error: cannot parse ${text} as a valid ethernet address`;
    }
    case 'mark':
      return /^(0x[\da-f]{1,8}|\d{1,10})$/i.test(text)
        ? [{ kind: 'mark', mark: Number(text) }]
        : `Syntax error: '${text}' is invalid as number`;
    case 'iface':
      return [{ kind: 'iface', name: text }];
    case 'set':
      return [{ kind: 'set', name: text }];
    default:
      return assertNever(kind);
  }
}

function notAnAddress(set: SetKind, text: string): string {
  return `Syntax error: cannot parse ${text}: resolving to IPv${set.family} address failed`;
}

/** "A", "A-B" or "A/LENGTH": every address of it, under the set's netmask. */
function parseHosts(set: SetKind, text: string): readonly SetField[] | string {
  const bounds = boundsOf(set, text);
  if (typeof bounds === 'string') return bounds;
  const length = hostLength(set, 'ip');
  const fields: SetField[] = [];
  for (let address = cidrOf(bounds.first, length).address; compareIp(address, bounds.last) <= 0; ) {
    if (fields.length === MAX_ELEMENTS) return `${text} stands for more than ${MAX_ELEMENTS} elements`;
    fields.push({ kind: 'net', cidr: cidrOf(address, length) });
    const next = addToIp(cidrLast(cidrOf(address, length)), 1);
    if (compareIp(next, address) <= 0) break;
    address = next;
  }
  return fields;
}

/** "A/LENGTH", "A", or a range, which becomes the prefixes that make it up. */
function parseNets(set: SetKind, text: string): readonly SetField[] | string {
  if (!text.includes('-')) {
    const cidr = parseCidr(text);
    if (!cidr || familyOf(cidr.address) !== set.family) return notAnAddress(set, text);
    return cidr.length === 0 && !set.type.includes('iface')
      ? 'The value of the CIDR parameter of the IP address is invalid'
      : [{ kind: 'net', cidr }];
  }
  const bounds = boundsOf(set, text);
  if (typeof bounds === 'string') return bounds;
  return prefixesOf(bounds.first, bounds.last).map((cidr) => ({ kind: 'net', cidr }));
}

function boundsOf(set: SetKind, text: string): { readonly first: IpAddress; readonly last: IpAddress } | string {
  const [low, high] = text.split('-');
  const first = high === undefined ? parseCidr(text) : null;
  if (first)
    return familyOf(first.address) === set.family ? { first: first.address, last: cidrLast(first) } : notAnAddress(set, text);
  const [from, to] = [parseIp(low!), parseIp(high ?? '')];
  if (from === null || to === null || familyOf(from) !== set.family || familyOf(to) !== set.family)
    return notAnAddress(set, text);
  return compareIp(from, to) <= 0 ? { first: from, last: to } : { first: to, last: from };
}

function prefixesOf(first: IpAddress, last: IpAddress): readonly Cidr[] {
  const prefixes: Cidr[] = [];
  for (let address = first; compareIp(address, last) <= 0; ) {
    const bits = cidrBits(cidrOf(address, 0));
    let length: number = bits;
    while (length > 0) {
      const wider = cidrOf(address, length - 1);
      if (wider.address !== address || compareIp(cidrLast(wider), last) > 0) break;
      length--;
    }
    const prefix = cidrOf(address, length);
    prefixes.push(prefix);
    const next = addToIp(cidrLast(prefix), 1);
    if (compareIp(next, address) <= 0) break;
    address = next;
  }
  return prefixes;
}

/** "80", "tcp:80-82", "icmp:echo-request"; TCP when no protocol is named. */
function parsePorts(set: SetKind, text: string): readonly SetField[] | string {
  const colon = text.lastIndexOf(':');
  const protocolText = colon < 0 ? 'tcp' : text.slice(0, colon).toLowerCase();
  const value = text.slice(colon + 1);
  if (protocolText === 'icmp' || protocolText === 'icmpv6' || protocolText === 'ipv6-icmp') return parseIcmp(protocolText, value);
  if (!isTransportProtocol(protocolText)) return `an element of protocol ${protocolText} is not modelled`;
  const named = portOfService(value);
  const range = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(named === undefined ? value : `${named}`);
  const first = Number(range?.[1]);
  const last = Number(range?.[2] ?? range?.[1]);
  if (!range || first > 65535 || last > 65535) return `Syntax error: cannot parse '${value}' as a ${protocolText} port`;
  const protocol = set.type === 'bitmap:port' ? 'any' : protocolText;
  const [from, to] = [Math.min(first, last), Math.max(first, last)];
  return Array.from({ length: to - from + 1 }, (_, i) => ({ kind: 'port', protocol, port: from + i }));
}

function parseIcmp(protocolText: string, text: string): readonly SetField[] | string {
  const protocol: PortProtocol = protocolText === 'icmp' ? 'icmp' : 'icmpv6';
  const named = (protocol === 'icmp' ? ICMP_NAMES : ICMPV6_NAMES).get(
    text === 'ping' ? 'echo-request' : text === 'pong' ? 'echo-reply' : text,
  );
  if (named !== undefined) return [{ kind: 'port', protocol, port: named }];
  const numbers = /^(\d{1,3})\/(\d{1,3})$/.exec(text);
  if (!numbers || Number(numbers[1]) > 255 || Number(numbers[2]) > 255)
    return `Syntax error: cannot parse '${text}' as an ${protocol} type/code`;
  return [{ kind: 'port', protocol, port: Number(numbers[1]) * 256 + Number(numbers[2]) }];
}

function formatField(field: SetField, dimension: DimensionKind): string {
  switch (field.kind) {
    case 'net': {
      const { address, length } = field.cidr;
      return dimension === 'ip' || length === cidrBits(field.cidr) ? formatIp(address) : `${formatIp(address)}/${length}`;
    }
    case 'port':
      return formatPort(field.protocol, field.port);
    case 'mac':
      return field.mac.toUpperCase();
    case 'mark':
      return `0x${field.mark.toString(16).padStart(8, '0')}`;
    case 'iface':
    case 'set':
      return field.name;
    default:
      return assertNever(field);
  }
}

function formatPort(protocol: PortProtocol, port: number): string {
  if (protocol === 'any') return `${port}`;
  if (protocol !== 'icmp' && protocol !== 'icmpv6') return `${protocol}:${port}`;
  const name = [...(protocol === 'icmp' ? ICMP_NAMES : ICMPV6_NAMES)].find(([, value]) => value === port)?.[0];
  return `${protocol === 'icmp' ? 'icmp' : 'ipv6-icmp'}:${name ?? `${port >> 8}/${port & 255}`}`;
}
