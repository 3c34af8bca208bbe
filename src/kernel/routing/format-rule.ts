import { formatCidr } from '../../net/cidr.ts';
import { formatTable } from './format.ts';
import type { RoutingRule } from './route.ts';

/** A routing rule as the words behind `ip rule add`, its priority first. */
export function formatRule(rule: RoutingRule): string {
  const { priority, invert, from, to, mark, iif, oif, protocol, sport, dport, suppressPrefixLength, action } = rule;
  const words = ['priority', String(priority)];
  if (invert) words.push('not');
  words.push('from', from === null ? 'all' : formatCidr(from));
  if (to !== null) words.push('to', formatCidr(to));
  if (mark !== null) words.push('fwmark', `0x${mark.value.toString(16)}/0x${mark.mask.toString(16)}`);
  if (iif !== null) words.push('iif', iif);
  if (oif !== null) words.push('oif', oif);
  if (protocol !== null) words.push('ipproto', protocol === 'icmpv6' ? 'ipv6-icmp' : protocol);
  if (sport !== null) words.push('sport', portRange(sport));
  if (dport !== null) words.push('dport', portRange(dport));
  if (action.kind !== 'lookup') return [...words, action.kind].join(' ');
  words.push('lookup', formatTable(action.table));
  if (suppressPrefixLength !== null) words.push('suppress_prefixlength', String(suppressPrefixLength));
  return words.join(' ');
}

function portRange({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? String(from) : `${from}-${to}`;
}
