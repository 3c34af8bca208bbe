import type { RejectWith } from '../iptables/target/target.ts';

/** Answers of ICMP by the words of nft; `icmpx` has one of its own for each family. */
const ICMP: Readonly<Record<string, RejectWith>> = {
  'net-unreachable': 'icmp-net-unreachable',
  'host-unreachable': 'icmp-host-unreachable',
  'prot-unreachable': 'icmp-proto-unreachable',
  'port-unreachable': 'icmp-port-unreachable',
  'net-prohibited': 'icmp-net-prohibited',
  'host-prohibited': 'icmp-host-prohibited',
  'admin-prohibited': 'icmp-admin-prohibited',
};
const ICMPV6: Readonly<Record<string, RejectWith>> = {
  'no-route': 'icmp6-no-route',
  'admin-prohibited': 'icmp6-adm-prohibited',
  'addr-unreachable': 'icmp6-addr-unreachable',
  'port-unreachable': 'icmp6-port-unreachable',
  'policy-fail': 'icmp6-policy-fail',
};
const ICMPX: Readonly<Record<string, readonly [RejectWith, RejectWith]>> = {
  'no-route': ['icmp-net-unreachable', 'icmp6-no-route'],
  'port-unreachable': ['icmp-port-unreachable', 'icmp6-port-unreachable'],
  'host-unreachable': ['icmp-host-unreachable', 'icmp6-addr-unreachable'],
  'admin-prohibited': ['icmp-admin-prohibited', 'icmp6-adm-prohibited'],
};

/** The answer that `reject with icmp admin-prohibited` and the like ask for; without words it is "port unreachable". */
export function rejectWith(words: string | null, family: 4 | 6): RejectWith {
  const [kind, name = ''] = (words ?? 'icmpx port-unreachable').split(' ');
  const standard = family === 4 ? 'icmp-port-unreachable' : 'icmp6-port-unreachable';
  switch (kind) {
    case 'tcp':
      return 'tcp-reset';
    case 'icmp':
      return ICMP[name] ?? standard;
    case 'icmpv6':
      return ICMPV6[name] ?? standard;
    default:
      return ICMPX[name]?.[family === 4 ? 0 : 1] ?? standard;
  }
}
