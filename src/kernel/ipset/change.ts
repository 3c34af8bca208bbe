import { fieldsOfPacket, sameElement } from './lookup.ts';
import type { IpSet, SetEntry } from './ipset.ts';
import type { Direction, SetQuery } from './lookup.ts';

/** What the SET target asks for (struct xt_set_info_target_v3). */
export interface SetChange {
  readonly kind: 'set-add' | 'set-del';
  readonly directions: readonly Direction[];
}

/**
 * The set after a packet was added to it or taken out (xt_set.c set_target_v3, ip_set_add, ip_set_del). A packet that does not
 * fit the set's type changes nothing; an element that is there already is renewed by `--exist`, which changes no membership.
 */
export function changeSet(set: IpSet, query: SetQuery, { kind, directions }: SetChange): IpSet {
  const fields = fieldsOfPacket(set, directions, query);
  if (!fields) return set;
  const present = set.entries.some((entry) => sameElement(entry.fields, fields));
  if (kind === 'set-del')
    return present ? { ...set, entries: set.entries.filter((entry) => !sameElement(entry.fields, fields)) } : set;
  const entry: SetEntry = { fields, nomatch: false, options: '' };
  return present ? set : { ...set, entries: [...set.entries, entry] };
}
