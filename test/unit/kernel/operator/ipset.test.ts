import { describe, expect, test } from 'vitest';
import { printIpsetSave } from '../../../../src/kernel/ipset/save-format.ts';
import { runCommand } from '../../../../src/kernel/operator/run.ts';
import { NO_RULES_HOST } from '../../../support/traverse-context.ts';

/** Runs command lines (without "ipset", unless they name a program) and gives what `ipset save` prints then, and the last message. */
function run(lines: readonly string[]): { readonly save: readonly string[]; readonly message: string | null } {
  let host = NO_RULES_HOST;
  let message: string | null = null;
  for (const line of lines) {
    const result = runCommand(host, line.startsWith('iptables') ? line : `ipset ${line}`);
    message = result.ok ? null : `${result.kind}: ${result.message}`;
    if (result.ok) host = result.host;
  }
  return { save: printIpsetSave(host.netfilter.ipsets).trimEnd().split('\n'), message };
}

const HASH = 'family inet hashsize 1024 maxelem 65536';

describe('ipset', () => {
  test.each([
    [['create s hash:ip'], [`create s hash:ip ${HASH}`]],
    [
      ['create s hash:ip family inet6 timeout 30 comment'],
      ['create s hash:ip family inet6 hashsize 1024 maxelem 65536 timeout 30 comment'],
    ],
    [
      ['create s hash:ip netmask 24 hashsize 64 maxelem 5 counters'],
      ['create s hash:ip family inet hashsize 64 maxelem 5 netmask 24 counters'],
    ],
    [['create s bitmap:port range 0-100'], ['create s bitmap:port range 0-100']],
    [['create s bitmap:ip range 10.0.0.0/24'], ['create s bitmap:ip range 10.0.0.0-10.0.0.255']],
    [['create s list:set'], ['create s list:set size 8']],
    [['create s hash:ip', 'create s hash:ip -exist'], [`create s hash:ip ${HASH}`]],
    [
      ['create s hash:ip', 'add s 10.0.0.1', 'add s 10.0.0.1 -exist'],
      [`create s hash:ip ${HASH}`, 'add s 10.0.0.1'],
    ],
    [
      ['create s hash:ip', 'add s 10.0.0.0/31', 'add s 10.0.1.1-10.0.1.2'],
      [`create s hash:ip ${HASH}`, 'add s 10.0.0.0', 'add s 10.0.0.1', 'add s 10.0.1.1', 'add s 10.0.1.2'],
    ],
    [
      ['create s hash:net', 'add s 10.0.0.5/24 nomatch', 'add s 10.5.0.0-10.5.0.9'],
      [`create s hash:net ${HASH}`, 'add s 10.0.0.0/24 nomatch', 'add s 10.5.0.0/29', 'add s 10.5.0.8/31'],
    ],
    [
      ['create s hash:ip,port', 'add s 10.0.0.1,80-81', 'add s 10.0.0.1,udp:domain'],
      [`create s hash:ip,port ${HASH}`, 'add s 10.0.0.1,tcp:80', 'add s 10.0.0.1,tcp:81', 'add s 10.0.0.1,udp:53'],
    ],
    [
      ['create s hash:ip timeout 30 comment', 'add s 10.0.0.1', 'add s 10.0.0.2 timeout 0 comment "a b"'],
      [`create s hash:ip ${HASH} timeout 30 comment`, 'add s 10.0.0.1 timeout 30', 'add s 10.0.0.2 timeout 0 comment "a b"'],
    ],
    [
      ['create s hash:ip netmask 24', 'add s 10.0.0.77'],
      [`create s hash:ip ${HASH.replace('65536', '65536 netmask 24')}`, 'add s 10.0.0.0'],
    ],
    [['create s hash:ip', 'add s 10.0.0.1', 'del s 10.0.0.1', 'del s 10.0.0.1 -exist'], [`create s hash:ip ${HASH}`]],
    [['create s hash:ip', 'add s 10.0.0.1', 'flush s', 'rename s t'], [`create t hash:ip ${HASH}`]],
    [
      ['create a hash:ip', 'create b hash:ip', 'add a 10.0.0.1', 'swap a b'],
      [`create a hash:ip ${HASH}`, `create b hash:ip ${HASH}`, 'add b 10.0.0.1'],
    ],
    [
      ['create a hash:ip', 'create b hash:ip', 'create l list:set', 'add l a', 'add l b before a'],
      [`create a hash:ip ${HASH}`, `create b hash:ip ${HASH}`, 'create l list:set size 8', 'add l b', 'add l a'],
    ],
    [['create a hash:ip', 'create l list:set', 'add l a', 'destroy'], ['']],
    [
      ['-N s hash:ip', '-A s 10.0.0.1', '-T s 10.0.0.1', '-L', 'list s', 'save', 'version'],
      [`create s hash:ip ${HASH}`, 'add s 10.0.0.1'],
    ],
  ])('%j', (lines, expected) => {
    const { save, message } = run(lines);
    expect(message).toBeNull();
    expect(save).toEqual(expected);
  });

  test.each([
    [['create s hash:ip', 'create s hash:ip'], 'Set cannot be created: set with the same name already exists'],
    [['create s hash:ip', 'create s hash:net -exist'], 'Set cannot be created: set with the same name already exists'],
    [['create s hash:foo'], "Syntax error: typename 'hash:foo' is unknown"],
    [['create s bitmap:port'], "Mandatory option `range' is missing"],
    [['create s hash:ip foo bar'], "Unknown argument: `foo'"],
    [['create s hash:net netmask 24'], "Unknown argument: `netmask'"],
    [['create s hash:ip family inet7'], 'Syntax error: unknown inet family inet7'],
    [
      ['create averyveryveryveryverylongname_xxx hash:ip'],
      "Syntax error: setname 'averyveryveryveryverylongname_xxx' is longer than 31 characters",
    ],
    [['create s'], 'Missing second mandatory argument to command create'],
    [['add s 10.0.0.1'], 'The set with the given name does not exist'],
    [['create s hash:ip', 'add s 10.0.0.1', 'add s 10.0.0.1'], "Element cannot be added to the set: it's already added"],
    [['create s hash:ip', 'del s 10.0.0.1'], "Element cannot be deleted from the set: it's not added"],
    [['create s hash:ip', 'add s foo'], 'Syntax error: cannot parse foo: resolving to IPv4 address failed'],
    [['create s hash:ip', 'add s fd00::1'], 'Syntax error: cannot parse fd00::1: resolving to IPv4 address failed'],
    [['create s hash:ip', 'add s 0.0.0.0'], 'Null-valued element, cannot be stored in a hash type of set'],
    [['create s hash:ip', 'add s 10.0.0.1 timeout 5'], 'Timeout cannot be used: set was created without timeout support'],
    [['create s hash:ip', 'add s 10.0.0.1 comment x'], 'Comment cannot be used: set was created without comment support'],
    [['create s hash:ip,port', 'add s 10.0.0.1'], 'Syntax error: Second element is missing from 10.0.0.1.'],
    [['create s hash:net', 'add s 0.0.0.0/0'], 'The value of the CIDR parameter of the IP address is invalid'],
    [['create s hash:ip maxelem 1', 'add s 10.0.0.1', 'add s 10.0.0.2'], 'Hash is full, cannot add more elements'],
    [['create s bitmap:port range 0-100', 'add s 101'], 'Element is out of the range of the set'],
    [['create s bitmap:ip range 10.0.0.0/24', 'add s 10.0.1.1'], 'Element is out of the range of the set'],
    [['create l list:set', 'add l s'], 'Set to be added/deleted/tested as element does not exist.'],
    [['create l list:set', 'add l l'], 'Sets with list:set type cannot be added to the set.'],
    [
      ['create a hash:ip', 'create l list:set', 'add l a', 'destroy a'],
      'Set cannot be destroyed: it is in use by a kernel component',
    ],
    [
      ['create a hash:ip', 'iptables -A INPUT -m set --match-set a src', 'destroy a'],
      'Set cannot be destroyed: it is in use by a kernel component',
    ],
    [
      ['create a hash:ip', 'iptables -A INPUT -m set --match-set a src', 'rename a b'],
      'Set cannot be renamed: it is in use by another system',
    ],
    [['create a hash:ip', 'create b hash:ip', 'rename a b'], 'Set cannot be renamed: a set with the new name already exists'],
    [['create a hash:ip', 'create b hash:net', 'swap a b'], 'The sets cannot be swapped: their type does not match'],
    [['create a hash:ip', 'swap a b'], 'Sets cannot be swapped: the second set does not exist'],
    [['flush s'], 'The set with the given name does not exist'],
    [['foo'], 'No command specified: unknown argument foo'],
  ])('%j is refused', (lines, message) => {
    expect(run(lines).message).toBe(`refused: ipset v7.17: ${message}`);
  });

  test('test says no as the program does', () => {
    expect(run(['create s hash:net', 'add s 10.0.0.0/8', 'add s 10.1.0.0/16 nomatch', 'test s 10.1.0.1']).message).toBe(
      'refused: 10.1.0.1 is NOT in set s.',
    );
    expect(run(['create s hash:net', 'add s 10.0.0.0/8', 'test s 10.2.0.1']).message).toBeNull();
  });

  test('an element of a protocol without ports is not modelled', () => {
    expect(run(['create s hash:ip,port', 'add s 10.0.0.1,vrrp:0']).message).toBe(
      'not-modelled: an element of protocol vrrp is not modelled',
    );
  });
});
