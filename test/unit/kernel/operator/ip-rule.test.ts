import { describe, expect, test } from 'vitest';
import { formatCidr } from '../../../../src/net/cidr.ts';
import { answer, run, testHost } from './host-fixture.ts';
import type { Host } from '../../../../src/kernel/host.ts';

/** Priority and a short form of each rule of a family. */
function rules(host: Host, family: 4 | 6 = 4): string[] {
  return host.routing.rules
    .filter((rule) => rule.family === family)
    .map(({ priority, invert, from, to, iif, oif, mark, action }) => {
      const selectors = [
        invert ? 'not' : '',
        from ? `from ${formatCidr(from)}` : '',
        to ? `to ${formatCidr(to)}` : '',
        iif ? `iif ${iif}` : '',
        oif ? `oif ${oif}` : '',
        mark ? `fwmark ${mark.value}/${mark.mask.toString(16)}` : '',
      ];
      return [priority, ...selectors.filter(Boolean), action.kind === 'lookup' ? `lookup ${action.table}` : action.kind].join(
        ' ',
      );
    });
}

const DEFAULTS = ['32766 lookup 254', '32767 lookup 253'];

describe('ip rule', () => {
  test('without a priority a rule comes before the second of the list', () => {
    const host = run(
      testHost(),
      'ip rule add fwmark 0x1/0xff lookup 100',
      'ip rule add fwmark 1 table 101',
      'ip rule add to 172.18.0.3 lookup main',
      'ip rule add iif eth0 pref 100 blackhole',
      'ip rule add not from 10.0.0.0/8 oif lo prohibit',
      'ip rule add from 1.2.3.4 unreachable priority 5',
      'ip rule add from 172.18.0.0/16',
      'ip rule add from all lookup 9 pref 100',
    );
    expect(rules(host)).toEqual([
      '0 lookup 255',
      '4 from 172.18.0.0/16 lookup 254',
      '5 from 1.2.3.4/32 unreachable',
      '99 not from 10.0.0.0/8 oif lo prohibit',
      '100 iif eth0 blackhole',
      '100 lookup 9',
      '32763 to 172.18.0.3/32 lookup 254',
      '32764 fwmark 1/ffffffff lookup 101',
      '32765 fwmark 1/ff lookup 100',
      ...DEFAULTS,
    ]);
  });

  test('deletion takes the first rule that has what is said', () => {
    const host = run(
      testHost(),
      'ip rule add fwmark 0x1/0xff lookup 100',
      'ip rule add fwmark 1 table 101',
      'ip rule add lookup 9',
    );
    expect(rules(run(host, 'ip rule del fwmark 1'))).toEqual([
      '0 lookup 255',
      '32763 lookup 9',
      '32765 fwmark 1/ff lookup 100',
      ...DEFAULTS,
    ]);
    expect(rules(run(host, 'ip rule del lookup 9', 'ip rule del pref 32764', 'ip rule del table 100'))).toEqual([
      '0 lookup 255',
      ...DEFAULTS,
    ]);
    expect(rules(run(host, 'ip rule flush'))).toEqual(['0 lookup 255']);
  });

  test('ports, protocol and suppression', () => {
    const host = run(testHost(), 'ip rule add ipproto tcp dport 80-90 sport 99 lookup 7 suppress_prefixlength 0');
    expect(host.routing.rules.find(({ priority }) => priority === 32765)).toMatchObject({
      protocol: 'tcp',
      dport: { from: 80, to: 90 },
      sport: { from: 99, to: 99 },
      suppressPrefixLength: 0,
    });
  });

  test.each<[string[], string]>([
    [['ip rule add fwmark 1 lookup 5 pref 50', 'ip rule add fwmark 1 lookup 5 pref 50'], 'RTNETLINK answers: File exists'],
    [['ip rule del fwmark 9'], 'RTNETLINK answers: No such file or directory'],
    [['ip rule del pref 77'], 'RTNETLINK answers: No such file or directory'],
    [['ip rule add'], '"ip rule add" requires arguments.'],
    [['ip rule add fwmark foo lookup 1'], 'Error: argument "foo" is wrong: fwmark value is invalid\n'],
    [['ip rule add foo 1'], 'Error: argument "foo" is wrong: Failed to parse rule type'],
    [['ip rule add from 10.0.0.0/8 goto 100'], 'not modelled: ip rule ... goto is not modelled'],
  ])('%j is refused', (lines, expected) => {
    expect(answer(testHost(), ...lines)).toBe(expected);
  });
});

describe('ip -6 rule', () => {
  test('has a list of its own, and is meant where an address of IPv6 is named', () => {
    const host = run(
      testHost(),
      'ip -6 rule add fwmark 0x1 lookup 100',
      'ip rule add from fd00:1::/64 lookup 101 pref 50',
      'ip -6 rule add to fd00:2::1 ipproto ipv6-icmp prohibit pref 60',
    );
    expect(rules(host, 6)).toEqual([
      '0 lookup 255',
      '50 from fd00:1::/64 lookup 101',
      '60 to fd00:2::1/128 prohibit',
      '32765 fwmark 1/ffffffff lookup 100',
      '32766 lookup 254',
    ]);
    expect(rules(host)).toEqual(rules(testHost()));
  });

  test('goes away alone', () => {
    const host = run(testHost(), 'ip -6 rule add from fd00::/64 lookup 9', 'ip rule add fwmark 1 lookup 9', 'ip -6 rule flush');
    expect(rules(host, 6)).toEqual(['0 lookup 255']);
    expect(rules(host)).toContain('32765 fwmark 1/ffffffff lookup 9');
    expect(rules(run(testHost(), 'ip -6 rule add iif eth0 lookup 9', 'ip -6 rule del lookup 9'), 6)).toEqual(
      rules(testHost(), 6),
    );
  });

  test.each([
    ['ip -6 rule add from 10.0.0.0/8 lookup 9', 'Error: inet6 prefix is expected rather than "10.0.0.0/8".'],
    ['ip -6 rule del lookup 77', 'RTNETLINK answers: No such file or directory'],
  ])('%s is refused', (line, message) => expect(answer(testHost(), line)).toContain(message));
});
