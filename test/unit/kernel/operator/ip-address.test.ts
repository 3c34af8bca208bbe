import { describe, expect, test } from 'vitest';
import { formatIp } from '../../../../src/net/ip.ts';
import { answer, routes, run, testHost } from './host-fixture.ts';
import type { Host } from '../../../../src/kernel/host.ts';

function addresses(host: Host, device = 'eth0'): string[] {
  return (host.devices.get(device)?.addresses ?? []).map(
    ({ address, prefix, broadcast, scope, secondary }) =>
      `${formatIp(address)}/${prefix.length}${broadcast === null ? '' : ` brd ${formatIp(broadcast)}`} ${scope}${secondary ? ' secondary' : ''}`,
  );
}

const LOCAL_LO = [
  'local 127.0.0.0/8 dev lo proto kernel scope host src 127.0.0.1',
  'local 127.0.0.1 dev lo proto kernel scope host src 127.0.0.1',
  'broadcast 127.255.255.255 dev lo proto kernel scope link src 127.0.0.1',
];

describe('ip address', () => {
  test('order, secondaries and the routes that follow, as Linux 6.18 printed them', () => {
    const host = run(
      testHost(),
      'ip addr add 172.18.0.77/16 dev eth0',
      'ip addr add 172.18.0.78/24 dev eth0',
      'ip addr add 203.0.113.8/32 dev lo',
      'ip a add 203.0.113.9 dev lo',
      'ip addr add 10.1.1.1/24 broadcast 10.1.1.255 dev eth0 label eth0:1',
      'ip addr add 10.1.2.1/24 brd + dev eth0 scope link',
    );
    expect(addresses(host)).toEqual([
      '10.1.2.1/24 brd 10.1.2.255 link',
      '172.18.0.2/16 brd 172.18.255.255 global',
      '172.18.0.78/24 global',
      '10.1.1.1/24 brd 10.1.1.255 global',
      '172.18.0.77/16 global secondary',
    ]);
    expect(routes(host)).toEqual([
      '10.1.1.0/24 dev eth0 proto kernel scope link src 10.1.1.1',
      '10.1.2.0/24 dev eth0 proto kernel scope link src 10.1.2.1',
      '172.18.0.0/24 dev eth0 proto kernel scope link src 172.18.0.78',
      '172.18.0.0/16 dev eth0 proto kernel scope link src 172.18.0.2',
    ]);
    expect(routes(host, 255)).toEqual([
      'local 10.1.1.1 dev eth0 proto kernel scope host src 10.1.1.1',
      'broadcast 10.1.1.255 dev eth0 proto kernel scope link src 10.1.1.1',
      'local 10.1.2.1 dev eth0 proto kernel scope host src 10.1.2.1',
      'broadcast 10.1.2.255 dev eth0 proto kernel scope link src 10.1.2.1',
      ...LOCAL_LO,
      'local 172.18.0.2 dev eth0 proto kernel scope host src 172.18.0.2',
      'local 172.18.0.77 dev eth0 proto kernel scope host src 172.18.0.2',
      'local 172.18.0.78 dev eth0 proto kernel scope host src 172.18.0.78',
      'broadcast 172.18.0.255 dev eth0 proto kernel scope link src 172.18.0.78',
      'broadcast 172.18.255.255 dev eth0 proto kernel scope link src 172.18.0.2',
      'local 203.0.113.8 dev lo proto kernel scope host src 203.0.113.8',
      'local 203.0.113.9 dev lo proto kernel scope host src 203.0.113.9',
    ]);
  });

  test('a primary takes its secondaries and the routes with it as source along', () => {
    const host = run(
      testHost(),
      'ip addr add 172.18.0.77/16 dev eth0',
      'ip addr add 10.1.2.1/24 dev eth0',
      'ip route add default via 172.18.0.1',
      'ip route add 10.0.0.0/24 via 172.18.0.3 src 172.18.0.2',
      'ip addr del 172.18.0.2/16 dev eth0',
    );
    expect(addresses(host)).toEqual(['10.1.2.1/24 global']);
    expect(routes(host)).toEqual([
      'default via 172.18.0.1 dev eth0',
      '10.1.2.0/24 dev eth0 proto kernel scope link src 10.1.2.1',
    ]);
  });

  test('with promote_secondaries the next one takes over', () => {
    const host = run(
      testHost(),
      'ip addr add 172.18.0.77/16 dev eth0',
      'sysctl -w net.ipv4.conf.all.promote_secondaries=1',
      'ip addr del 172.18.0.2/16 dev eth0',
    );
    expect(addresses(host)).toEqual(['172.18.0.77/16 global']);
    expect(routes(host)).toEqual(['172.18.0.0/16 dev eth0 proto kernel scope link src 172.18.0.77']);
  });

  test('the last address takes every route of the device along', () => {
    const host = run(
      testHost(),
      'ip route add default via 172.18.0.1',
      'ip route add 10.20.0.0/24 dev eth0 scope host',
      'ip route add unreachable 10.3.0.0/24',
      'ip addr flush dev eth0',
    );
    expect(addresses(host)).toEqual([]);
    expect(routes(host)).toEqual(['unreachable 10.3.0.0/24']);
    expect(routes(host, 255)).toEqual(LOCAL_LO);
  });

  test('replace leaves what is there, deletion without a length finds the address', () => {
    const host = run(
      testHost(),
      'ip addr replace 172.18.0.2/16 dev eth0',
      'ip addr add 10.1.1.1/24 dev eth0',
      'ip addr del 10.1.1.1 dev eth0',
    );
    expect(addresses(host)).toEqual(['172.18.0.2/16 brd 172.18.255.255 global']);
  });

  test.each<[string[], string]>([
    [['ip addr add 172.18.0.2/16 dev eth0'], 'Error: ipv4: Address already assigned.'],
    [['ip addr del 172.18.0.99/16 dev eth0'], 'Error: ipv4: Address not found.'],
    [['ip addr del 172.18.0.2/24 dev eth0'], 'Error: ipv4: Address not found.'],
    [['ip addr add 10.1.1.1/33 dev eth0'], 'Error: any valid prefix is expected rather than "10.1.1.1/33".'],
    [['ip addr add 10.1.1.1/24'], 'Not enough information: "dev" argument is required.'],
    [['ip addr add 10.1.1.1/24 dev nosuch'], 'Cannot find device "nosuch"'],
    [['ip addr flush dev nosuch'], 'Device "nosuch" does not exist.'],
    [['ip addr foo'], 'Command "foo" is unknown, try "ip address help".'],
    [['ip addr add fd00::1/64 dev eth0'], 'Error: ipv6: IPv6 is disabled on this device.'],
  ])('%j is refused', (lines, expected) => {
    expect(answer(testHost(), ...lines)).toBe(expected);
  });
});
