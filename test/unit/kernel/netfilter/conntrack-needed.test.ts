import { describe, expect, test } from 'vitest';
import { chainOf, tableOf } from '../../../../src/kernel/netfilter/iptables/chain.ts';
import { isConntrackNeeded } from '../../../../src/kernel/netfilter/conntrack/needed.ts';
import type { Host } from '../../../../src/kernel/host.ts';
import type { IptablesTables, TableName } from '../../../../src/kernel/netfilter/iptables/table.ts';

const hostWith = (iptables: IptablesTables): Host => ({
  name: 'pod/default/client',
  devices: new Map(),
  routing: { rules: [], tables: new Map() },
  neighbours: { get: () => undefined, permanent: () => [] },
  fdb: [],
  sysctls: new Map(),
  listeners: [],
  netfilter: { iptables, iptablesLegacy: null, ip6tables: new Map(), ipsets: new Map(), nftables: [], ipvs: [] },
});

const tables = (table: TableName, chain: string, body: string): IptablesTables =>
  new Map([[table, tableOf(table, [chainOf(table, chain, 'ACCEPT', [{ body }])])]]);

describe('conntrack is registered', () => {
  test.for([
    ['no rule at all', new Map() as IptablesTables, false],
    ['a nat chain alone, as iptables-nft has it', tables('nat', 'OUTPUT', '-p tcp -j RETURN'), false],
    ['a nat target', tables('nat', 'POSTROUTING', '-o eth0 -j MASQUERADE'), true],
    ['a match on state', tables('filter', 'FORWARD', '-m conntrack --ctstate NEW -j ACCEPT'), true],
    ['the old match on state', tables('filter', 'INPUT', '-m state --state NEW'), true],
    ['CONNMARK', tables('mangle', 'PREROUTING', '-j CONNMARK --save-mark --nfmask 0xffffffff --ctmask 0xffffffff'), true],
    ['a zone', tables('raw', 'PREROUTING', '-j CT --zone 1'), true],
    ['NOTRACK alone', tables('raw', 'PREROUTING', '-j CT --notrack'), false],
    ['a rule in a user chain that nobody jumps to', tables('filter', 'OPS', '-m conntrack --ctstate NEW'), true],
  ] as const)('for %s: %s', ([, iptables, needed]) => {
    expect(isConntrackNeeded(hostWith(iptables), 4)).toBe(needed);
  });
});
