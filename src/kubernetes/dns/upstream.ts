import { familyOf } from '../../net/ip.ts';
import type { ExternalName } from '../model/dns.ts';
import { canonicalName } from './names.ts';
import type { DnsAnswer, DnsRecord, DnsType } from './records.ts';

/** Aliases that a resolver follows before it gives up. */
const MAX_ALIASES = 8;

/**
 * What the DNS of the world answers, by the scenario's `externalDNS`: its entries, wildcards as RFC 4592 has them, aliases followed.
 * It knows nothing else.
 */
export function answerOutside(names: readonly ExternalName[], asked: string, type: DnsType): DnsAnswer {
  const name = canonicalName(asked);
  const answers: DnsRecord[] = [];
  const seen = new Set<string>();
  let current = name;
  let exists = true;
  for (;;) {
    seen.add(current);
    const entry = entryFor(names, current);
    exists = entry !== null;
    if (entry === null || entry === 'empty') break;
    if (entry.alias === null) {
      answers.push(...addressRecords(entry, current, type));
      break;
    }
    answers.push({ name: current, type: 'CNAME', target: entry.alias });
    if (type === 'CNAME' || seen.has(entry.alias) || seen.size > MAX_ALIASES) break;
    current = entry.alias;
  }
  const isFound = answers.some((record) => record.type === type);
  return {
    name,
    type,
    rcode: exists ? 'NOERROR' : 'NXDOMAIN',
    answers,
    additional: [],
    from: 'upstream',
    service: null,
    miss: isFound ? null : answers.length > 0 ? 'alias-unresolved' : exists ? 'no-such-type' : 'unknown-outside',
  };
}

function addressRecords(entry: ExternalName, name: string, type: DnsType): readonly DnsRecord[] {
  if (type !== 'A' && type !== 'AAAA') return [];
  const family = type === 'A' ? 4 : 6;
  return entry.addresses.filter((address) => familyOf(address) === family).map((address) => ({ name, type, address }));
}

/**
 * The entry of a name: its own, else the wildcard next above it, unless a name in between is there ("closest encloser"). 'empty':
 * the name is there only because names below it are; null: it is not there.
 */
function entryFor(names: readonly ExternalName[], name: string): ExternalName | 'empty' | null {
  const find = (wanted: string): ExternalName | undefined => names.find((entry) => entry.name === wanted);
  const isThere = (wanted: string): boolean => names.some((entry) => entry.name === wanted || entry.name.endsWith(`.${wanted}`));
  const own = find(name);
  if (own !== undefined) return own;
  if (isThere(name)) return 'empty';
  const labels = name.split('.');
  for (let i = 1; i < labels.length; i++) {
    const parent = labels.slice(i).join('.');
    const wildcard = find(`*.${parent}`);
    if (wildcard !== undefined) return wildcard;
    if (isThere(parent)) return null;
  }
  return null;
}
