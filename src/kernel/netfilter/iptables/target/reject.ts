import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { invalidArgument, RuleError, wordOf } from '../option.ts';
import type { TargetModule } from './module.ts';
import type { RejectWith } from './target.ts';

/** Short names beside the full ones, of libipt_REJECT.c and libip6t_REJECT.c. */
// biome-ignore format: a table reads better in rows
const IPV4: ReadonlyMap<string, RejectWith> = new Map([
  ['icmp-net-unreachable', 'icmp-net-unreachable'], ['net-unreach', 'icmp-net-unreachable'],
  ['icmp-host-unreachable', 'icmp-host-unreachable'], ['host-unreach', 'icmp-host-unreachable'],
  ['icmp-proto-unreachable', 'icmp-proto-unreachable'], ['proto-unreach', 'icmp-proto-unreachable'],
  ['icmp-port-unreachable', 'icmp-port-unreachable'], ['port-unreach', 'icmp-port-unreachable'],
  ['icmp-net-prohibited', 'icmp-net-prohibited'], ['net-prohib', 'icmp-net-prohibited'],
  ['icmp-host-prohibited', 'icmp-host-prohibited'], ['host-prohib', 'icmp-host-prohibited'],
  ['icmp-admin-prohibited', 'icmp-admin-prohibited'], ['admin-prohib', 'icmp-admin-prohibited'],
  ['tcp-reset', 'tcp-reset'], ['tcp-rst', 'tcp-reset'],
]);
// biome-ignore format: a table reads better in rows
const IPV6: ReadonlyMap<string, RejectWith> = new Map([
  ['icmp6-no-route', 'icmp6-no-route'], ['no-route', 'icmp6-no-route'],
  ['icmp6-adm-prohibited', 'icmp6-adm-prohibited'], ['adm-prohibited', 'icmp6-adm-prohibited'],
  ['icmp6-addr-unreachable', 'icmp6-addr-unreachable'], ['addr-unreach', 'icmp6-addr-unreachable'],
  ['icmp6-port-unreachable', 'icmp6-port-unreachable'], ['port-unreach', 'icmp6-port-unreachable'],
  ['icmp6-policy-fail', 'icmp6-policy-fail'], ['policy-fail', 'icmp6-policy-fail'],
  ['tcp-reset', 'tcp-reset'], ['tcp-rst', 'tcp-reset'],
]);

/** Drops the packet and tells its sender (ipt_REJECT.c, ip6t_REJECT.c). */
export const reject: TargetModule = {
  name: 'REJECT',
  options: [{ name: 'reject-with' }],
  tables: ['filter'],
  hooks: ['INPUT', 'FORWARD', 'OUTPUT'],
  build(given, { family, protocol }) {
    const names = family === 4 ? IPV4 : IPV6;
    const text = wordOf(given, 'reject-with') || (family === 4 ? 'icmp-port-unreachable' : 'icmp6-port-unreachable');
    // A name may be shortened as long as it is at most one kind's.
    const kinds = new Set([...names].filter(([name]) => name.startsWith(text.toLowerCase())).map(([, kind]) => kind));
    const kind = names.get(text.toLowerCase()) ?? (kinds.size === 1 ? [...kinds][0] : undefined);
    if (kind === undefined) throw new RuleError(`unknown reject type "${text}"`);
    if (kind === 'tcp-reset' && (protocol.number !== PROTOCOL_NUMBER.tcp || protocol.negated)) throw invalidArgument();
    return { text: `--reject-with ${kind}`, action: { kind: 'reject', with: kind } };
  },
};
