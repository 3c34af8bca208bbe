import { describe, expect, test } from 'vitest';
import { answer, routes, run, testHost } from './host-fixture.ts';

const CONNECTED = '172.18.0.0/16 dev eth0 proto kernel scope link src 172.18.0.2';

describe('ip route', () => {
  // Commands and what `ip route` printed after them on Linux 6.18 with iproute2 6.1.
  test.each<[string, string[], string[]]>([
    ['a default route finds its device', ['ip route add default via 172.18.0.1'], ['default via 172.18.0.1 dev eth0', CONNECTED]],
    [
      'every attribute in its place',
      ['ip route add 10.0.0.0/24 via 172.18.0.3 dev eth0 onlink metric 5 src 172.18.0.2 mtu lock 1400 proto static tos 0x10'],
      ['10.0.0.0/24 tos 0x10 via 172.18.0.3 dev eth0 proto static src 172.18.0.2 metric 5 onlink mtu lock 1400', CONNECTED],
    ],
    [
      'longer prefixes first at one address, then larger tos, then smaller metric',
      [
        'ip route add 10.0.0.0/8 via 172.18.0.3',
        'ip route add 10.0.0.0/24 via 172.18.0.3 metric 7',
        'ip route add 10.0.0.0/24 via 172.18.0.4',
        'ip route add 10.0.0.0/24 via 172.18.0.5 tos 0x10 metric 9',
      ],
      [
        '10.0.0.0/24 tos 0x10 via 172.18.0.5 dev eth0 metric 9',
        '10.0.0.0/24 via 172.18.0.4 dev eth0',
        '10.0.0.0/24 via 172.18.0.3 dev eth0 metric 7',
        '10.0.0.0/8 via 172.18.0.3 dev eth0',
        CONNECTED,
      ],
    ],
    [
      'append goes behind, prepend before, replace takes the first',
      [
        'ip r add 10.1.0.0/16 dev eth0',
        'ip r append 10.1.0.0/16 dev br7',
        'ip r prepend 10.1.0.0/16 via 172.18.0.9',
        'ip r replace 10.1.0.0/16 via 172.18.0.8',
      ],
      ['10.1.0.0/16 via 172.18.0.8 dev eth0', '10.1.0.0/16 dev eth0 scope link', '10.1.0.0/16 dev br7 scope link', CONNECTED],
    ],
    [
      'types without a next hop',
      ['ip route add unreachable 10.3.0.0/24', 'ip route replace blackhole 10.3.0.0/24'],
      ['blackhole 10.3.0.0/24', CONNECTED],
    ],
    [
      'multipath',
      ['ip route add 10.5.0.0/24 nexthop via 172.18.0.5 weight 2 nexthop via 172.18.0.6 dev eth0 onlink'],
      ['10.5.0.0/24 nexthop via 172.18.0.5 dev eth0 weight 2 nexthop via 172.18.0.6 dev eth0 weight 1 onlink', CONNECTED],
    ],
    ['a short prefix and a device', ['ip route add 10.1/16 dev eth0'], ['10.1.0.0/16 dev eth0 scope link', CONNECTED]],
    [
      'its own address as gateway',
      ['ip route add 10.8.0.0/24 via 172.18.0.2'],
      ['10.8.0.0/24 via 172.18.0.2 dev eth0', CONNECTED],
    ],
    [
      'deletion matches what is said',
      [
        'ip route add 10.1.0.0/16 via 172.18.0.3',
        'ip route append 10.1.0.0/16 via 172.18.0.4',
        'ip route del 10.1.0.0/16 via 172.18.0.4',
      ],
      ['10.1.0.0/16 via 172.18.0.3 dev eth0', CONNECTED],
    ],
    [
      'change',
      ['ip route add 10.0.0.0/8 via 172.18.0.3', 'ip route change 10.0.0.0/8 via 172.18.0.9'],
      ['10.0.0.0/8 via 172.18.0.9 dev eth0', CONNECTED],
    ],
    [
      'replacing a route by itself',
      ['ip route add default via 172.18.0.1', 'ip route replace default via 172.18.0.1'],
      ['default via 172.18.0.1 dev eth0', CONNECTED],
    ],
    [
      'flush by prefix',
      [
        'ip route add 10.50.0.0/24 dev eth0',
        'ip route add 10.51.0.0/24 dev eth0',
        'ip route add 10.52.0.0/24 dev eth0',
        'ip route flush root 10.50.0.0/15',
      ],
      ['10.52.0.0/24 dev eth0 scope link', CONNECTED],
    ],
    ['flush of a device', ['ip route add 10.50.0.0/24 dev br7', 'ip route flush dev eth0'], ['10.50.0.0/24 dev br7 scope link']],
    [
      'lists change nothing',
      ['ip -4 route show', 'ip -d route list table all', 'ip route get 10.0.0.1', 'ip route'],
      [CONNECTED],
    ],
    [
      'words are unquoted as a shell does',
      ['ip route add \'10.1.0.0/16\' via "172.18.0.3"'],
      ['10.1.0.0/16 via 172.18.0.3 dev eth0', CONNECTED],
    ],
  ])('%s', (_, lines, expected) => {
    expect(routes(run(testHost(), ...lines))).toEqual(expected);
  });

  test('tables by number and name', () => {
    const host = run(
      testHost(),
      'ip route replace default via 172.18.0.1 dev eth0 table 100',
      'ip route add throw 10.7.0.0/24 table 0x64',
      'ip route add local 10.6.0.0/24 dev lo',
    );
    expect(routes(host, 100)).toEqual(['default via 172.18.0.1 dev eth0', 'throw 10.7.0.0/24']);
    expect(routes(host, 255)).toContain('local 10.6.0.0/24 dev lo scope host');
    expect(routes(run(host, 'ip route flush table 100'), 100)).toEqual([]);
  });

  test('what a command makes is the operator’s', () => {
    const host = run(testHost(), 'ip route add 10.1.0.0/16 via 172.18.0.3');
    const [route] = host.routing.tables.get(254)?.routes() ?? [];
    expect(route?.origin).toEqual({ object: null, by: 'operator', role: 'command' });
  });

  test.each<[string[], string]>([
    [['ip route add 10.0.0.0/24 via 172.18.0.3', 'ip route add 10.0.0.0/24 via 172.18.0.4'], 'RTNETLINK answers: File exists'],
    [['ip route add 10.0.0.0/24 via 172.18.0.3', 'ip route append 10.0.0.0/24 via 172.18.0.3'], 'RTNETLINK answers: File exists'],
    [['ip route add 10.8.0.0/24 via 1.2.3.4'], 'Error: Nexthop has invalid gateway.'],
    [['ip route add 10.0.0.0/24 via 172.18.0.3', 'ip route add 10.8.0.0/24 via 10.0.0.1'], 'Error: Nexthop has invalid gateway.'],
    [['ip route add 10.8.0.0/24 via 172.18.0.3 dev lo'], 'Error: Nexthop has invalid gateway.'],
    [['ip route add 10.8.0.0/24 via 172.18.0.3 onlink'], 'Error: Nexthop device required for onlink.'],
    [['ip route add 10.8.0.1/24 via 172.18.0.3'], 'Error: Invalid prefix for given prefix length.'],
    [['ip route add 10.8.0.0/24'], 'RTNETLINK answers: No such device'],
    [['ip route add 10.8.0.0/24 dev nosuch'], 'Cannot find device "nosuch"'],
    [['ip route add 10.8.0.0/24 via 172.18.0.3 src 9.9.9.9'], 'Error: Invalid prefsrc address.'],
    [
      ['ip route add unreachable 10.8.0.0/24 via 172.18.0.3'],
      'Error: Gateway, device and multipath can not be specified for this route type.',
    ],
    [['ip route add 10.8.0.0/33 via 172.18.0.3'], 'Error: any valid prefix is expected rather than "10.8.0.0/33".'],
    [['ip route add 10.8.0.x/24 via 172.18.0.3'], 'Error: any valid prefix is expected rather than "10.8.0.x/24".'],
    [['ip route add 10.8.0.0/24 via foo'], 'Error: inet address is expected rather than "foo".'],
    [['ip route add 10.8.0.0/24 foo bar'], 'Error: either "to" is duplicate, or "foo" is a garbage.'],
    [['ip route add 10.51.0.0/24 dev eth0 tos 0x1'], 'Error: Invalid dsfield (tos): ECN bits must be 0.'],
    [['ip route add'], 'Command line is not complete. Try option "help"'],
    [['ip route del 10.99.0.0/24'], 'RTNETLINK answers: No such process'],
    [['ip route add default via 172.18.0.1', 'ip route del default scope link'], 'RTNETLINK answers: No such process'],
    [['ip route add default via 172.18.0.1', 'ip route del default metric 3'], 'RTNETLINK answers: No such process'],
    [['ip route add default via 172.18.0.1', 'ip route del unreachable default'], 'RTNETLINK answers: No such process'],
    [['ip route change 10.99.0.0/24 via 172.18.0.3'], 'RTNETLINK answers: No such file or directory'],
    [['ip link set eth0 down', 'ip route add 10.10.0.0/24 dev eth0'], 'Error: Device for nexthop is not up.'],
    [['ip link set eth0 down', 'ip route add 10.10.0.0/24 via 172.18.0.3'], 'Error: Nexthop has invalid gateway.'],
    [['ip route foo'], 'Command "foo" is unknown, try "ip route help".'],
    [['ip foo'], 'Object "foo" is unknown, try "ip help".'],
    [['ip -6 route add fd00::/64 dev eth0'], 'Error: IPv6 is disabled on nexthop device.'],
    [['ip route add fd00::/64 dev eth0'], 'Error: IPv6 is disabled on nexthop device.'],
    [['ip route add 10.0.0.0/8 via 172.18.0.3 | cat'], 'not modelled: not one plain command: k8snet runs no shell'],
  ])('%j is refused', (lines, expected) => {
    expect(answer(testHost(), ...lines)).toBe(expected);
  });
});
