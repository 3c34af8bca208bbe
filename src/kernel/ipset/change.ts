import { cidrOf } from '../../net/cidr.ts';
import { isIpv4 } from '../../net/ip.ts';
import { dimensionsOf } from './set-type.ts';
import { setMatches } from './lookup.ts';
import type { Direction, SetQuery } from './lookup.ts';
import type { IpSet, SetField } from './ipset.ts';
import type { DimensionKind } from './set-type.ts';

/** What the SET target does to a set for one packet (xt_set.c set_target): its addresses and ports become, or cease to be, an entry. */
export function changeSet(
  set: IpSet,
  query: SetQuery,
  { kind, directions }: { readonly kind: 'set-add' | 'set-del'; readonly directions: readonly Direction[] },
): IpSet {
  const dimensions = dimensionsOf(set.type);
  const fields = dimensions?.map((dimension, i) => fieldOf(dimension, directions[i] ?? 'src', query)) ?? [];
  if (fields.length === 0 || fields.some((field) => field === null)) return set;
  const key = JSON.stringify(fields, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  const isEntry = (entry: IpSet['entries'][number]) =>
    JSON.stringify(entry.fields, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) === key;
  if (kind === 'set-del') return { ...set, entries: set.entries.filter((entry) => !isEntry(entry)) };
  if (setMatches(set, directions, query)) return set;
  const known = fields.filter((field): field is SetField => field !== null);
  return { ...set, entries: [...set.entries, { fields: known, nomatch: false, options: '' }] };
}

function fieldOf(kind: DimensionKind, direction: Direction, { packet, mark, srcMac, inDevice, outDevice }: SetQuery): SetField | null {
  switch (kind) {
    case 'ip':
    case 'net': {
      const address = direction === 'src' ? packet.src : packet.dst;
      return { kind: 'net', cidr: cidrOf(address, isIpv4(address) ? 32 : 128) };
    }
    case 'port': {
      const { l4 } = packet;
      if (!('sport' in l4)) return null;
      return { kind: 'port', protocol: l4.protocol, port: direction === 'src' ? l4.sport : l4.dport };
    }
    case 'mac':
      return srcMac === null ? null : { kind: 'mac', mac: srcMac };
    case 'mark':
      return { kind: 'mark', mark };
    case 'iface': {
      const name = direction === 'src' ? inDevice : outDevice;
      return name === null ? null : { kind: 'iface', name };
    }
    case 'set':
      return null;
  }
}
