import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseIpsetSave, printIpsetSave } from '../../../../src/kernel/ipset/save-format.ts';

describe('ipset save', () => {
  test('the sets of many tools print back', () => {
    const text = readFileSync(new URL('../../../golden/iptables-save/07b-ipvs-1.28.ipset-save', import.meta.url), 'utf8');
    const { sets, diagnostics } = parseIpsetSave(text);
    expect(diagnostics).toEqual([]);
    const lines = (save: string) => save.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines(printIpsetSave(sets)).sort()).toEqual(lines(text).sort());
    expect([...sets.keys()]).toContain('weave-iLgO^o=U/*%KE[@=W:l~|9T');
    expect(sets.get('inet6:KUBE-6-CLUSTER-IP')).toMatchObject({ family: 6 });
  });

  test.each([
    'create s hash:ip family inet hashsize 1024 maxelem 65536 timeout 30\nadd s 10.0.0.1 timeout 12\n',
    'create s hash:net family inet hashsize 1024 maxelem 65536 timeout 5 counters comment\nadd s 10.0.0.0/8 timeout 6 nomatch packets 0 bytes 0 comment "a b"\n',
    'create s hash:ip,port family inet6 hashsize 1024 maxelem 65536\nadd s fd00::1,ipv6-icmp:echo-request\nadd s fd00::1,tcp:80\n',
    'create s hash:ip,port family inet hashsize 1024 maxelem 65536\nadd s 10.0.0.1,icmp:9/9\nadd s 10.0.0.1,sctp:5\n',
    'create s hash:net,iface family inet hashsize 1024 maxelem 65536\nadd s 10.0.0.0/8,eth wildcard\nadd s 10.0.0.0/8,physdev:eth0\n',
    'create s bitmap:ip,mac range 10.0.0.0-10.0.0.255\nadd s 10.0.0.3,02:00:00:AA:BB:CC\nadd s 10.0.0.4\n',
    'create s hash:net,mac family inet hashsize 1024\nadd s 10.0.0.0/8,02:00:00:AA:BB:CC\n',
    'create a hash:ip family inet hashsize 1024 maxelem 65536\ncreate l list:set size 8\nadd l a\n',
  ])('%s', (text) => {
    expect(printIpsetSave(parseIpsetSave(text).sets)).toBe(text);
  });

  test('what cannot be read is named', () => {
    expect(
      parseIpsetSave('create s hash:ip\nadd t 1.1.1.1\nrubbish\nadd s 300.1.1.1\ncreate u hash:net,mac').diagnostics,
    ).toEqual([
      { line: 2, message: 'there is no set t' },
      { line: 3, message: "can't be read" },
      { line: 4, message: 'set s: Syntax error: cannot parse 300.1.1.1: resolving to IPv4 address failed' },
      { line: 5, message: 'a set of type hash:net,mac is not modelled' },
    ]);
  });
});
