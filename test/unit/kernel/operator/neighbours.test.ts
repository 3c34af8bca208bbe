import { describe, expect, test } from 'vitest';
import { formatIp } from '../../../../src/net/ip.ts';
import { answer, ip, mac, run, testHost } from './host-fixture.ts';
import type { Host } from '../../../../src/kernel/host.ts';

function fdb(host: Host): string[] {
  return host.fdb.map(
    ({ mac: address, device, remote }) => `${address} dev ${device}${remote === null ? '' : ` dst ${formatIp(remote)}`}`,
  );
}

describe('ip neigh', () => {
  test('add, replace, delete', () => {
    const host = run(
      testHost(),
      'ip neigh add 172.18.0.3 lladdr 02:42:ac:12:00:03 dev eth0',
      'ip n replace 172.18.0.3 lladdr 02:42:ac:12:00:04 dev eth0',
    );
    expect(host.neighbours.get('eth0', ip('172.18.0.3'))).toMatchObject({
      mac: '02:42:ac:12:00:04',
      state: 'permanent',
      origin: { by: 'operator' },
    });
    expect([...host.neighbours.permanent()]).toHaveLength(1);
    const without = run(host, 'ip neigh del 172.18.0.3 dev eth0');
    expect(without.neighbours.get('eth0', ip('172.18.0.3'))).toBeUndefined();
    expect([...without.neighbours.permanent()]).toEqual([]);
  });

  test('what was learnt can be deleted and set again', () => {
    const host = run(testHost(), 'ip neigh del 172.18.0.9 dev eth0');
    expect(host.neighbours.get('eth0', ip('172.18.0.9'))).toBeUndefined();
    expect(
      run(host, 'ip neigh add 172.18.0.9 lladdr 02:00:00:00:00:09 dev eth0').neighbours.get('eth0', ip('172.18.0.9'))?.mac,
    ).toBe('02:00:00:00:00:09');
  });

  test('flush keeps permanent entries', () => {
    const host = run(testHost(), 'ip neigh add 172.18.0.3 lladdr 02:42:ac:12:00:03 dev eth0', 'ip neigh flush dev eth0');
    expect(host.neighbours.get('eth0', ip('172.18.0.9'))).toBeUndefined();
    expect(host.neighbours.get('eth0', ip('172.18.0.3'))?.state).toBe('permanent');
    expect(run(host, 'ip neigh flush dev eth0 nud permanent').neighbours.get('eth0', ip('172.18.0.3'))).toBeUndefined();
  });

  test('a failed entry has no MAC', () => {
    const host = run(testHost(), 'ip neigh add 172.18.0.18 lladdr 02:42:ac:12:00:03 dev eth0 nud failed');
    expect(host.neighbours.get('eth0', ip('172.18.0.18'))).toMatchObject({ mac: null, state: 'failed' });
  });

  test.each<[string[], string]>([
    [['ip neigh add 172.18.0.9 lladdr 02:42:ac:12:00:03 dev eth0'], 'RTNETLINK answers: File exists'],
    [['ip neigh del 172.18.0.77 dev eth0'], 'RTNETLINK answers: No such file or directory'],
    [['ip neigh change 172.18.0.6 lladdr 02:42:ac:12:00:03 dev eth0'], 'RTNETLINK answers: No such file or directory'],
    [['ip neigh add 172.18.0.13 dev eth0'], 'Error: No link layer address given.'],
    [['ip neigh add 172.18.0.5 dev eth0 lladdr foo'], 'Error: Invalid link address.'],
    [['ip neigh add 172.18.0.5 lladdr 02:42:ac:12:00:03'], 'Device and destination are required arguments.'],
    [['ip neigh add 172.18.0.5 lladdr 02:42:ac:12:00:03 dev nosuch'], 'Cannot find device "nosuch"'],
    [['ip neigh add 172.18.0.6 lladdr 02:42:ac:12:00:03 dev eth0 nud foo'], 'Error: argument "foo" is wrong: nud state is bad'],
    [['ip neigh flush'], 'Flush requires arguments.'],
  ])('%j is refused', (lines, expected) => {
    expect(answer(testHost(), ...lines)).toBe(expected);
  });
});

describe('bridge fdb', () => {
  const ADD = 'bridge fdb add be:ef:ac:12:00:03 dev vx dst 172.18.0.3';

  test.each<[string[], string[]]>([
    [[ADD], ['be:ef:ac:12:00:03 dev vx dst 172.18.0.3']],
    [
      [
        ADD,
        'bridge fdb append be:ef:ac:12:00:03 dev vx dst 172.18.0.4 self permanent',
        'bridge fdb append be:ef:ac:12:00:03 dev vx dst 172.18.0.4',
      ],
      ['be:ef:ac:12:00:03 dev vx dst 172.18.0.3', 'be:ef:ac:12:00:03 dev vx dst 172.18.0.4'],
    ],
    [
      [
        ADD,
        'bridge fdb append be:ef:ac:12:00:03 dev vx dst 172.18.0.4',
        'bridge fdb replace be:ef:ac:12:00:03 dev vx dst 172.18.0.5',
      ],
      ['be:ef:ac:12:00:03 dev vx dst 172.18.0.5'],
    ],
    [[ADD, 'bridge fdb append be:ef:ac:12:00:03 dev vx dst 172.18.0.4', 'bridge fdb del be:ef:ac:12:00:03 dev vx'], []],
    [[ADD, 'bridge fdb del BE:EF:AC:12:00:03 dev vx dst 172.18.0.3'], []],
    [['bridge fdb add be:ef:ac:12:00:0c dev veth0 master static'], ['be:ef:ac:12:00:0c dev veth0']],
    [['bridge fdb add be:ef:ac:12:00:0c dev veth0', 'bridge fdb show dev vx', 'bridge fdb'], []],
  ])('%j', (lines, expected) => {
    expect(fdb(run(testHost(), ...lines))).toEqual(expected);
  });

  test('a learnt entry of a bridge can be deleted', () => {
    const bridge = run(testHost(), 'bridge fdb del 0a:58:0a:01:00:02 dev veth0 master').devices.get('br7');
    expect(bridge?.kind === 'bridge' && bridge.learnt(mac('0a:58:0a:01:00:02'))).toBeUndefined();
  });

  test.each<[string[], string]>([
    [[ADD, ADD], 'RTNETLINK answers: File exists'],
    [['bridge fdb del be:ef:ac:12:00:03 dev vx dst 172.18.0.5'], 'RTNETLINK answers: No such file or directory'],
    [['bridge fdb add be:ef:ac:12:00:03 dev vx'], 'RTNETLINK answers: Invalid argument'],
    [['bridge fdb add foo dev vx dst 1.2.3.4'], 'Invalid mac address foo'],
    [['bridge fdb add be:ef:ac:12:00:03 dst 1.2.3.4'], 'Device and address are required arguments.'],
    [['bridge fdb add be:ef:ac:12:00:03 dev nosuch dst 1.2.3.4'], 'Cannot find device "nosuch"'],
    [['bridge fdb add be:ef:ac:12:00:03 dev vx dst foo'], 'Error: any valid address is expected rather than "foo".'],
  ])('%j is refused', (lines, expected) => {
    expect(answer(testHost(), ...lines)).toBe(expected);
  });
});

describe('bridge link', () => {
  test('hairpin', () => {
    expect(run(testHost(), 'bridge link set dev veth0 hairpin off').devices.get('veth0')?.hairpin).toBe(false);
  });

  test.each<[string[], string]>([
    [['bridge link set dev veth0 hairpin foo'], 'Error: argument of "hairpin" must be one of "off", "on", not "foo"'],
    [['bridge link set dev br7 hairpin on'], 'RTNETLINK answers: Operation not supported'],
    [['bridge link set dev nosuch hairpin on'], 'Cannot find bridge device "nosuch"'],
    [['bridge vlan add vid 5 dev veth0'], 'not modelled: bridge vlan is not modelled'],
  ])('%j is refused', (lines, expected) => {
    expect(answer(testHost(), ...lines)).toBe(expected);
  });
});
