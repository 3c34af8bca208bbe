import { describe, expect, test } from 'vitest';
import { formatCidr } from '../../../../src/net/cidr.ts';
import { answer, run, testHost } from './host-fixture.ts';
import type { Host } from '../../../../src/kernel/host.ts';

/** Priority and a short form of each IPv4 rule. */
function rules(host: Host): string[] {
  return host.routing.rules
    .filter(({ family }) => family === 4)
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
