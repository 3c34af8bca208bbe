import { describe, expect, test } from 'vitest';
import { answer, ip, mac, routes, run, testHost } from './host-fixture.ts';

describe('ip link', () => {
  test('down takes the routes and neighbours away, up brings the connected ones back', () => {
    const down = run(
      testHost(),
      'ip route add default via 172.18.0.1',
      'ip route add 10.20.0.0/24 dev eth0 scope host',
      'ip route add unreachable 10.3.0.0/24',
      'ip neigh add 172.18.0.3 lladdr 02:42:ac:12:00:03 dev eth0',
      'ip link set eth0 down',
    );
    expect(routes(down)).toEqual(['unreachable 10.3.0.0/24', '10.20.0.0/24 dev eth0 scope host']);
    expect(routes(down, 255)).toContain('local 172.18.0.2 dev eth0 proto kernel scope host src 172.18.0.2');
    expect(routes(down, 255)).not.toContain('broadcast 172.18.255.255 dev eth0 proto kernel scope link src 172.18.0.2');
    expect(down.neighbours.get('eth0', ip('172.18.0.3'))).toBeUndefined();
    expect(down.neighbours.get('eth0', ip('172.18.0.9'))).toBeUndefined();
    expect(routes(run(down, 'ip link set dev eth0 up'))).toEqual([
      'unreachable 10.3.0.0/24',
      '10.20.0.0/24 dev eth0 scope host',
      '172.18.0.0/16 dev eth0 proto kernel scope link src 172.18.0.2',
    ]);
  });

  test('a multipath route keeps the next hops that are left', () => {
    const host = run(
      testHost(),
      'ip addr add 10.9.0.1/24 dev br7',
      'ip route add 10.5.0.0/24 nexthop via 172.18.0.5 nexthop via 10.9.0.2',
      'ip link set br7 down',
    );
    expect(routes(host)).toContain('10.5.0.0/24 via 172.18.0.5 dev eth0');
  });

  test('the MTU of a bridge follows its ports until it is set', () => {
    const mtu = (...lines: string[]): number | undefined => run(testHost(), ...lines).devices.get('br7')?.mtu;
    expect(mtu('ip link set veth0 mtu 1300')).toBe(1300);
    expect(mtu('ip link set br7 mtu 1400', 'ip link set veth0 mtu 1300')).toBe(1400);
    expect(mtu('ip link set veth0 nomaster')).toBe(1500);
  });

  test('a port that leaves its bridge is forgotten there', () => {
    const bridge = run(testHost(), 'ip link set veth0 nomaster').devices.get('br7');
    expect(bridge?.kind === 'bridge' && bridge.learnt(mac('0a:58:0a:01:00:02'))).toBeUndefined();
  });

  test('address', () => {
    const host = run(testHost(), 'ip link set eth0 address 02:00:00:00:00:01');
    expect(host.devices.get('eth0')?.mac).toBe('02:00:00:00:00:01');
    expect(host.neighbours.get('eth0', ip('172.18.0.9'))).toBeUndefined();
  });

  test('new devices are down, take conf.default along, and go with all that hangs on them', () => {
    const host = run(
      testHost(),
      'sysctl -w net.ipv4.conf.default.rp_filter=1',
      'ip link add dummy0 type dummy',
      'ip link add name br8 mtu 1400 type bridge',
      'ip link set dummy0 up mtu 1400',
      'ip addr add 10.9.0.1/24 dev dummy0',
      'ip route add 10.10.0.0/16 via 10.9.0.2',
    );
    expect(host.devices.get('br8')).toMatchObject({ kind: 'bridge', up: false, mtu: 1400, origin: { by: 'operator' } });
    expect(host.sysctls.get('net.ipv4.conf.dummy0.rp_filter')).toBe('1');
    expect(routes(host)).toContain('10.10.0.0/16 via 10.9.0.2 dev dummy0');
    const without = run(host, 'ip link del dummy0');
    expect(without.devices.has('dummy0')).toBe(false);
    expect(routes(without)).toEqual(['172.18.0.0/16 dev eth0 proto kernel scope link src 172.18.0.2']);
  });

  test('a tunnel goes with the device under it', () => {
    expect([...run(testHost(), 'ip link del eth0').devices.keys()]).toEqual(['lo', 'br7', 'veth0']);
  });

  test('hairpin by type', () => {
    expect(run(testHost(), 'ip link set veth0 type bridge_slave hairpin off').devices.get('veth0')?.hairpin).toBe(false);
  });

  test.each<[string[], string]>([
    [['ip link set nosuch up'], 'Cannot find device "nosuch"'],
    [['ip link set dev eth0 mtu 99999999'], 'Error: mtu greater than device maximum.'],
    [['ip link set dev eth0 mtu 67'], 'Error: mtu less than device minimum.'],
    [['ip link set dev vx mtu 1500'], 'RTNETLINK answers: Invalid argument'],
    [['ip link set eth0 foo'], 'Error: either "dev" is duplicate, or "foo" is a garbage.'],
    [['ip link set eth0 master nosuch'], 'Error: argument "nosuch" is wrong: Device does not exist\n'],
    [['ip link del nosuch'], 'Cannot find device "nosuch"'],
    [['ip link del lo'], 'RTNETLINK answers: Operation not supported'],
    [['ip link add br7 type bridge'], 'RTNETLINK answers: File exists'],
    [['ip link add x'], 'Not enough information: "type" argument is required'],
    [['ip link set'], 'Not enough information: "dev" argument is required.'],
    [['ip link add link eth0 name eth0.5 type vlan id 5'], 'not modelled: ip link add ... link is not modelled'],
    [['ip link set eth0 netns other'], 'not modelled: ip link set ... netns is not modelled'],
  ])('%j is refused', (lines, expected) => {
    expect(answer(testHost(), ...lines)).toBe(expected);
  });
});
