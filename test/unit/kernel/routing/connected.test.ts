import { describe, expect, test } from 'vitest';
import { parseIp } from '../../../../src/net/ip.ts';
import { assignAddresses, deviceAddress } from '../../../../src/kernel/device/address.ts';
import { loopbackDevice } from '../../../../src/kernel/device/build.ts';
import { deviceRoutes } from '../../../../src/kernel/routing/connected.ts';
import { formatRoute, formatTable } from '../../../../src/kernel/routing/format.ts';
import { DEFAULT_RULES } from '../../../../src/kernel/routing/policy.ts';

function eth0(...addresses: [string, number][]): string[] {
  const wanted = addresses.map(([text, length]) => {
    const address = parseIp(text);
    if (address === null) throw new Error(text);
    return deviceAddress(address, length, 'brd +');
  });
  return deviceRoutes({ name: 'eth0', kind: 'veth', up: true, addresses: assignAddresses(wanted) }).map(
    ({ table, route }) => `${formatTable(table)}: ${formatRoute(route)}`,
  );
}

describe('routes that the kernel makes for addresses', () => {
  test.each<[string, [string, number][], string[]]>([
    [
      'a subnet',
      [['172.18.0.2', 16]],
      [
        'local: local 172.18.0.2 dev eth0 proto kernel scope host src 172.18.0.2',
        'main: 172.18.0.0/16 dev eth0 proto kernel scope link src 172.18.0.2',
        'local: broadcast 172.18.255.255 dev eth0 proto kernel scope link src 172.18.0.2',
      ],
    ],
    ['a /32 connects nothing', [['10.244.1.0', 32]], ['local: local 10.244.1.0 dev eth0 proto kernel scope host src 10.244.1.0']],
    [
      'a /31 has no broadcast address',
      [['10.0.0.0', 31]],
      [
        'local: local 10.0.0.0 dev eth0 proto kernel scope host src 10.0.0.0',
        'main: 10.0.0.0/31 dev eth0 proto kernel scope link src 10.0.0.0',
      ],
    ],
    [
      'a secondary address',
      [
        ['10.0.0.1', 30],
        ['10.0.0.2', 30],
      ],
      [
        'local: local 10.0.0.1 dev eth0 proto kernel scope host src 10.0.0.1',
        'main: 10.0.0.0/30 dev eth0 proto kernel scope link src 10.0.0.1',
        'local: broadcast 10.0.0.3 dev eth0 proto kernel scope link src 10.0.0.1',
        'local: local 10.0.0.2 dev eth0 proto kernel scope host src 10.0.0.1',
        'local: broadcast 10.0.0.3 dev eth0 proto kernel scope link src 10.0.0.1',
      ],
    ],
  ])('%s', (_, addresses, expected) => {
    expect(eth0(...addresses)).toEqual(expected);
  });

  test('the loopback prefix is local', () => {
    expect(deviceRoutes(loopbackDevice()).map(({ table, route }) => `${table} ${formatRoute(route)}`)).toEqual([
      '255 local 127.0.0.1 dev lo proto kernel scope host src 127.0.0.1',
      '255 local 127.0.0.0/8 dev lo proto kernel scope host src 127.0.0.1',
      '255 broadcast 127.255.255.255 dev lo proto kernel scope link src 127.0.0.1',
    ]);
  });
});

test('the rules of a fresh namespace', () => {
  const own = DEFAULT_RULES.filter(({ family }) => family === 4);
  expect(own.map(({ priority, action }) => [priority, action])).toEqual([
    [0, { kind: 'lookup', table: 255 }],
    [32766, { kind: 'lookup', table: 254 }],
    [32767, { kind: 'lookup', table: 253 }],
  ]);
});
