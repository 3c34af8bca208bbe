import { describe, expect, test } from 'vitest';
import { changeSet } from '../../../../src/kernel/ipset/change.ts';
import { setMatches } from '../../../../src/kernel/ipset/lookup.ts';
import { parseIpsetSave } from '../../../../src/kernel/ipset/save-format.ts';
import { dimensionsOf } from '../../../../src/kernel/ipset/set-type.ts';
import { packet } from '../../../support/traverse-context.ts';
import type { SetQuery } from '../../../../src/kernel/ipset/lookup.ts';
import type { L4Header } from '../../../../src/net/packet.ts';

/** Default query: 10.244.0.2:40000 to 10.96.0.20:80, TCP, by cni0. */
function query(save: string, over: Partial<SetQuery> = {}): SetQuery {
  const { sets } = parseIpsetSave(save);
  return {
    packet: packet(),
    mark: 0x4000,
    inDevice: 'cni0',
    outDevice: 'eth0',
    srcMac: '0a:58:0a:f4:00:02',
    ipset: (name) => sets.get(name),
    ...over,
  };
}

const udp: L4Header = { protocol: 'udp', sport: 1, dport: 53 };
const echo: L4Header = { protocol: 'icmp', type: 8, code: 0, id: 1 };

// biome-ignore format: a table reads better in rows
const ROWS: readonly (readonly [type: string, entries: readonly string[], directions: string, holds: boolean, over?: Partial<SetQuery>])[] = [
  ['hash:ip', ['10.96.0.20'], 'dst', true],
  ['hash:ip', ['10.96.0.20'], 'src', false],
  ['hash:ip', ['10.96.0.20'], 'dst,dst', true],
  ['hash:ip netmask 24', ['10.96.0.77'], 'dst', true],
  ['hash:ip family inet6', ['fd00::1'], 'dst', false],
  ['hash:ip family inet6', ['fd00::1'], 'dst', true, { packet: packet({ src: 'fd00::2', dst: 'fd00::1' }) }],
  ['bitmap:ip range 10.96.0.0-10.96.0.255', ['10.96.0.20'], 'dst', true],
  ['hash:net', ['10.0.0.0/8'], 'dst', true],
  ['hash:net', ['10.0.0.0/8', '10.96.0.0/16 nomatch'], 'dst', false],
  ['hash:net', ['10.0.0.0/8', '10.96.0.0/16 nomatch', '10.96.0.20'], 'dst', true],
  ['hash:net', ['11.0.0.0/8'], 'dst', false],
  ['hash:ip,port', ['10.96.0.20,tcp:80'], 'dst,dst', true],
  ['hash:ip,port', ['10.96.0.20,80'], 'dst,dst', true],
  ['hash:ip,port', ['10.96.0.20,tcp:80'], 'dst,src', false],
  ['hash:ip,port', ['10.96.0.20,tcp:80'], 'dst', false],
  ['hash:ip,port', ['10.96.0.20,udp:53'], 'dst,dst', true, { packet: packet({ l4: udp }) }],
  ['hash:ip,port', ['10.96.0.20,tcp:53'], 'dst,dst', false, { packet: packet({ l4: udp }) }],
  ['hash:ip,port', ['10.96.0.20,icmp:echo-request'], 'dst,dst', true, { packet: packet({ l4: echo }) }],
  ['hash:ip,port', ['10.96.0.20,tcp:80'], 'dst,dst', false, { packet: packet({ fragment: { id: 1, offset: 8, more: false } }) }],
  ['hash:ip,port,ip', ['10.96.0.20,tcp:80,10.244.0.2'], 'dst,dst,src', true],
  ['hash:ip,port,ip', ['10.96.0.20,tcp:80,10.244.0.3'], 'dst,dst,src', false],
  ['hash:ip,port,net', ['10.96.0.20,tcp:80,10.244.0.0/16'], 'dst,dst,src', true],
  ['hash:ip,port,net', ['10.96.0.20,tcp:80,10.244.0.0/16', '10.96.0.20,tcp:80,10.244.0.0/24 nomatch'], 'dst,dst,src', false],
  ['hash:net,port', ['10.96.0.0/16,tcp:80'], 'dst,dst', true],
  ['hash:net,port,net', ['10.96.0.0/16,tcp:80,10.244.0.0/16'], 'dst,dst,src', true],
  ['hash:net,net', ['10.244.0.0/16,10.96.0.0/16'], 'src,dst', true],
  ['hash:net,iface', ['10.244.0.0/16,cni0'], 'src,src', true],
  ['hash:net,iface', ['10.244.0.0/16,cni0'], 'src,dst', false],
  ['hash:net,iface', ['10.244.0.0/16,cni0'], 'src,src', false, { inDevice: null }],
  ['hash:mac', ['0A:58:0A:F4:00:02'], 'src', true],
  ['hash:mac', ['0A:58:0A:F4:00:02'], 'src', false, { srcMac: null }],
  ['hash:ip,mac', ['10.244.0.2,0A:58:0A:F4:00:02'], 'src,src', true],
  ['bitmap:ip,mac range 10.244.0.0-10.244.0.255', ['10.244.0.2,0A:58:0A:F4:00:02'], 'src,src', true],
  ['hash:ip,mark', ['10.244.0.2,0x00004000'], 'src,src', true],
  ['hash:ip,mark', ['10.244.0.2,0x00000001'], 'src,src', false],
  ['bitmap:port range 0-65535', ['80'], 'dst', true],
  ['bitmap:port range 0-65535', ['53'], 'dst', true, { packet: packet({ l4: udp }) }],
  ['bitmap:port range 0-65535', ['80'], 'dst', false, { packet: packet({ l4: echo }) }],
];

describe('set look-ups', () => {
  test.each(ROWS.map((row) => ({ row })))('$row', ({ row: [type, entries, directions, holds, over] }) => {
    const asked = query([`create s ${type}`, ...entries.map((entry) => `add s ${entry}`)].join('\n'), over);
    expect(setMatches(asked.ipset('s')!, directions.split(',') as ('src' | 'dst')[], asked)).toBe(holds);
  });

  test('list:set asks its members in order', () => {
    const asked = query(
      'create a hash:ip\ncreate b hash:ip,port\nadd b 10.96.0.20,tcp:80\ncreate l list:set size 8\nadd l a\nadd l b',
    );
    expect(setMatches(asked.ipset('l')!, ['dst', 'dst'], asked)).toBe(true);
    expect(setMatches(asked.ipset('l')!, ['src', 'dst'], asked)).toBe(false);
  });

  test('--return-nomatch asks for the exceptions', () => {
    const asked = query('create s hash:net\nadd s 10.0.0.0/8\nadd s 10.96.0.0/16 nomatch');
    expect(setMatches(asked.ipset('s')!, ['dst'], asked, true)).toBe(true);
    expect(setMatches(asked.ipset('s')!, ['src'], asked, true)).toBe(false);
  });

  test('every modelled type stands in a row', () => {
    const types = new Set([...ROWS.map(([type]) => type.split(' ')[0]!), 'list:set']);
    expect([...types].filter((type) => !dimensionsOf(type))).toEqual([]);
    expect(types.size).toBe(16);
  });
});

describe('the SET target', () => {
  test('adds and takes out what the packet is', () => {
    const asked = query('create s hash:ip,port family inet');
    const empty = asked.ipset('s')!;
    const added = changeSet(empty, asked, { kind: 'set-add', directions: ['dst', 'dst'] });
    expect(setMatches(added, ['dst', 'dst'], asked)).toBe(true);
    expect(changeSet(added, asked, { kind: 'set-add', directions: ['dst', 'dst'] })).toBe(added);
    expect(changeSet(added, asked, { kind: 'set-del', directions: ['dst', 'dst'] }).entries).toEqual([]);
    expect(changeSet(empty, asked, { kind: 'set-del', directions: ['dst', 'dst'] })).toBe(empty);
    expect(changeSet(empty, asked, { kind: 'set-add', directions: ['dst'] })).toBe(empty);
  });
});
