import { cidrOf } from '../../net/cidr.ts';
import { familyOf } from '../../net/ip.ts';
import { isLaterFragment } from '../../net/packet.ts';
import { assertNever } from '../../support/assert-never.ts';
import { dimensionsOf, setOption } from './set-type.ts';
import type { L4Header, Packet } from '../../net/packet.ts';
import type { DimensionKind } from './set-type.ts';
import type { IpSet, SetEntry, SetField } from './ipset.ts';

export type Direction = 'src' | 'dst';

/** What a set is asked about. */
export interface SetQuery {
  readonly packet: Packet;
  readonly mark: number;
  readonly inDevice: string | null;
  readonly outDevice: string | null;
  readonly srcMac: string | null;
  /** Members of a list:set. */
  ipset(name: string): IpSet | undefined;
}

/** Entries of a set by key; a key holds the addresses under the entry's prefix lengths. */
interface Index {
  readonly entries: ReadonlyMap<string, SetEntry>;
  /** Combinations of prefix lengths that occur, most specific first; one empty combination where no dimension has any. */
  readonly lengths: readonly (readonly number[])[];
}

const indexes = new WeakMap<IpSet, Index>();

/**
 * Is the packet in the set (ip_set_test)? Each direction says where a dimension comes from. Of several prefixes the most specific
 * decides; an entry with `nomatch` says no, unless the rule has --return-nomatch, which asks for just that.
 */
export function setMatches(set: IpSet, directions: readonly Direction[], query: SetQuery, returnNomatch = false): boolean {
  if (set.type === 'list:set') {
    return set.entries.some((entry) => {
      const field = entry.fields[0];
      const member = field?.kind === 'set' ? query.ipset(field.name) : undefined;
      return member !== undefined && member.type !== 'list:set' && setMatches(member, directions, query, returnNomatch);
    });
  }
  const entry = findEntry(set, directions, query);
  return entry !== null && (returnNomatch ? entry.nomatch : !entry.nomatch);
}

/** The entry that decides about a packet; null when there is none or the set can't hold such a packet. */
function findEntry(set: IpSet, directions: readonly Direction[], query: SetQuery): SetEntry | null {
  const fields = fieldsOfPacket(set, directions, query);
  return fields && findElement(set, fields);
}

/** Does a set hold an element, as `ipset test` asks? */
export function setHoldsElement(set: IpSet, fields: readonly SetField[]): boolean {
  const entry = findElement(set, fields);
  return entry !== null && !entry.nomatch;
}

function findElement(set: IpSet, fields: readonly SetField[]): SetEntry | null {
  const { entries, lengths } = indexOf(set);
  for (const combination of lengths) {
    const entry = entries.get(keyOf(fields, combination));
    if (entry) return entry;
  }
  return null;
}

/**
 * The element that a packet is for a set, addresses as host prefixes (under the set's netmask). Null when the packet can't be one:
 * of another family, without the ports, MAC or device that the set asks for, or with fewer directions than the set has dimensions.
 */
export function fieldsOfPacket(set: IpSet, directions: readonly Direction[], query: SetQuery): readonly SetField[] | null {
  const dimensions = dimensionsOf(set.type);
  if (!dimensions || directions.length < dimensions.length) return null;
  const fields: SetField[] = [];
  for (const [i, dimension] of dimensions.entries()) {
    const field = fieldOf(dimension, directions[i]!, set, query);
    if (field === null) return null;
    fields.push(field);
  }
  return fields;
}

function fieldOf(kind: DimensionKind, direction: Direction, set: IpSet, query: SetQuery): SetField | null {
  const { packet } = query;
  switch (kind) {
    case 'ip':
    case 'net': {
      const address = direction === 'src' ? packet.src : packet.dst;
      return familyOf(address) === set.family ? { kind: 'net', cidr: cidrOf(address, hostLength(set, kind)) } : null;
    }
    case 'port':
      return portOf(packet, direction, set.type === 'bitmap:port');
    case 'mac':
      return query.srcMac === null ? null : { kind: 'mac', mac: query.srcMac };
    case 'mark':
      return { kind: 'mark', mark: (query.mark & Number(setOption(set.options, 'markmask') ?? 0xffffffff)) >>> 0 };
    case 'iface': {
      const name = direction === 'src' ? query.inDevice : query.outDevice;
      return name === null ? null : { kind: 'iface', name };
    }
    case 'set':
      return null;
    default:
      return assertNever(kind);
  }
}

/** Prefix length under which a set keeps host addresses: its `netmask`, or all bits. */
export function hostLength(set: Pick<IpSet, 'family' | 'options'>, kind: 'ip' | 'net'): number {
  const netmask = kind === 'ip' ? setOption(set.options, 'netmask') : undefined;
  return netmask === undefined ? (set.family === 4 ? 32 : 128) : Number(netmask);
}

/** Protocol and port as ip_set_get_ip_port sees them: ICMP's port is type and code. bitmap:port takes any of tcp and udp. */
function portOf(packet: Packet, direction: Direction, bare: boolean): SetField | null {
  const { l4 } = packet;
  if (l4.protocol === 'other' || isLaterFragment(packet)) return null;
  if (!bare) return { kind: 'port', protocol: l4.protocol, port: wirePort(l4, direction) };
  return l4.protocol === 'tcp' || l4.protocol === 'udp' ? { kind: 'port', protocol: 'any', port: wirePort(l4, direction) } : null;
}

function wirePort(l4: Exclude<L4Header, { readonly protocol: 'other' }>, direction: Direction): number {
  if ('type' in l4) return l4.type * 256 + l4.code;
  return direction === 'src' ? l4.sport : l4.dport;
}

/** Are two elements the same one? */
export function sameElement(a: readonly SetField[], b: readonly SetField[]): boolean {
  return elementKey(a) === elementKey(b);
}

/** Key of an element in its set. */
export function elementKey(fields: readonly SetField[]): string {
  return keyOf(fields, lengthsOf(fields));
}

function lengthsOf(fields: readonly SetField[]): readonly number[] {
  return fields.flatMap((field) => (field.kind === 'net' ? [field.cidr.length] : []));
}

/** Fields as text, the addresses under given prefix lengths. */
function keyOf(fields: readonly SetField[], lengths: readonly number[]): string {
  let prefix = 0;
  return fields
    .map((field) => {
      switch (field.kind) {
        case 'net': {
          const length = Math.min(lengths[prefix++]!, field.cidr.length);
          return `${cidrOf(field.cidr.address, length).address}/${length}`;
        }
        case 'port':
          return `${field.protocol}:${field.port}`;
        case 'mac':
          return field.mac;
        case 'mark':
          return `${field.mark}`;
        case 'iface':
        case 'set':
          return field.name;
        default:
          return assertNever(field);
      }
    })
    .join(' ');
}

function indexOf(set: IpSet): Index {
  let index = indexes.get(set);
  if (!index) {
    index = buildIndex(set);
    indexes.set(set, index);
  }
  return index;
}

function buildIndex(set: IpSet): Index {
  const entries = new Map<string, SetEntry>();
  const combinations = new Map<string, readonly number[]>();
  for (const entry of set.entries) {
    const lengths = lengthsOf(entry.fields);
    combinations.set(lengths.join(' '), lengths);
    entries.set(keyOf(entry.fields, lengths), entry);
  }
  return { entries, lengths: [...combinations.values()].sort(moreSpecificFirst) };
}

function moreSpecificFirst(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((length, i) => length !== b[i]);
  return at < 0 ? 0 : b[at]! - a[at]!;
}
