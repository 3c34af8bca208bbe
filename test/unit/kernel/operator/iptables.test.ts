import { describe, expect, test } from 'vitest';
import { printSave } from '../../../../src/kernel/netfilter/iptables/save-format/print.ts';
import { runIptables } from '../../../../src/kernel/operator/iptables.ts';
import { splitWords } from '../../../../src/kernel/operator/words.ts';
import { NO_RULES_HOST } from '../../../support/traverse-context.ts';
import type { Host } from '../../../../src/kernel/host.ts';

/** Runs command lines (without "iptables"), one after the other; the last one's result, and the host behind all that worked. */
function run(lines: readonly string[], program = 'iptables'): { readonly host: Host; readonly message: string | null } {
  let host = NO_RULES_HOST;
  let message: string | null = null;
  for (const line of lines) {
    const result = runIptables(host, [program, ...splitWords(line)!]);
    message = result.ok ? null : `${result.kind}: ${result.message}`;
    if (result.ok) host = result.host;
  }
  return { host, message };
}

/** Rules of the filter table as "CHAIN BODY". */
function filterRules(lines: readonly string[]): readonly string[] {
  return printSave(run(lines).host.netfilter.iptables, 4)
    .split('\n')
    .filter((line) => line.startsWith('-A'))
    .map((line) => line.slice(3));
}

describe('rules', () => {
  test.each([
    [
      ['-A INPUT -j ACCEPT', '-A INPUT -j DROP'],
      ['INPUT -j ACCEPT', 'INPUT -j DROP'],
    ],
    [
      ['-A INPUT -j ACCEPT', '-I INPUT -j DROP'],
      ['INPUT -j DROP', 'INPUT -j ACCEPT'],
    ],
    [
      ['-A INPUT -j ACCEPT', '-I INPUT 2 -j DROP'],
      ['INPUT -j ACCEPT', 'INPUT -j DROP'],
    ],
    [['-A INPUT -j ACCEPT', '-R INPUT 1 -p tcp -j DROP'], ['INPUT -p tcp -j DROP']],
    [['-A INPUT -j ACCEPT', '-A INPUT -j DROP', '-D INPUT 1'], ['INPUT -j DROP']],
    [['-A INPUT -p tcp --syn -j DROP', '-D INPUT -p tcp --tcp-flags SYN,RST,ACK,FIN SYN -j DROP'], []],
    [['-A INPUT -s 10.0.0.1,10.0.0.2 -j DROP', '-D INPUT -s 10.0.0.2 -j DROP'], ['INPUT -s 10.0.0.1/32 -j DROP']],
    [['-A INPUT -j DROP', '-A FORWARD -j DROP', '-F INPUT'], ['FORWARD -j DROP']],
    [['-A INPUT -j DROP', '-A FORWARD -j DROP', '-F'], []],
    [['-A INPUT -j DROP', '-Z', '-L -n -v', '-S INPUT', '-nvL INPUT', '-C INPUT -j DROP'], ['INPUT -j DROP']],
    [
      ['-N A', '-A A -j RETURN', '-A INPUT -j A', '-A INPUT -g A', '-E A B'],
      ['INPUT -j B', 'INPUT -g B', 'B -j RETURN'],
    ],
  ])('%j', (lines, expected) => {
    expect(run(lines).message).toBeNull();
    expect(filterRules(lines)).toEqual(expected);
  });

  test('a rule of a dump is found in whatever way it is written', () => {
    const { host } = run(['-N A', '-A INPUT -j A']);
    const dumped = runIptables(host, ['iptables', '-I', 'INPUT', '-p', 'TCP', '-j', 'ACCEPT']);
    expect(dumped.ok && runIptables(dumped.host, ['iptables', '-D', 'INPUT', '-p', '6', '-j', 'ACCEPT'])).toMatchObject({
      ok: true,
    });
  });

  test("rules of a command line are the operator's", () => {
    const rule = run(['-A INPUT -j DROP']).host.netfilter.iptables.get('filter')!.chain('INPUT')!.rule(0);
    expect(rule.origin).toMatchObject({ object: null, by: 'operator' });
  });
});

describe('chains', () => {
  test('a base chain is made by its first rule or policy, a table by its first chain', () => {
    const chains = (lines: readonly string[], table: 'filter' | 'nat') => [
      ...(run(lines).host.netfilter.iptables.get(table)?.chainNames() ?? []),
    ];
    expect(chains(['-A INPUT -j DROP'], 'filter')).toEqual(['INPUT']);
    expect(chains(['-P FORWARD DROP', '-N A'], 'filter')).toEqual(['FORWARD', 'A']);
    expect(chains(['-t nat -N B', '-t nat -A POSTROUTING -j MASQUERADE'], 'nat')).toEqual(['POSTROUTING', 'B']);
    expect(chains(['-A INPUT -j DROP'], 'nat')).toEqual([]);
  });

  test('-P keeps the rules, -F keeps the policy', () => {
    const chain = run(['-A FORWARD -p tcp', '-P FORWARD DROP', '-F FORWARD', '-A FORWARD -p udp'])
      .host.netfilter.iptables.get('filter')!
      .chain('FORWARD')!;
    expect([chain.policy, chain.length, chain.body(0)]).toEqual(['DROP', 1, '-p udp']);
  });

  test('-X without a name leaves base chains that hold something', () => {
    const { host } = run(['-N A', '-N B', '-A INPUT -p tcp', '-P FORWARD DROP', '-P OUTPUT ACCEPT', '-X']);
    expect([...host.netfilter.iptables.get('filter')!.chainNames()]).toEqual(['INPUT', 'FORWARD']);
  });

  test('a loop is refused where it would close', () => {
    const lines = ['-N A', '-N B', '-A A -j B', '-A INPUT -j A', '-A B -j A'];
    expect(run(lines).message).toBe(
      'refused: iptables v1.8.9 (nf_tables):  RULE_APPEND failed (Too many links): rule in chain B',
    );
  });

  test('fifteen user chains deep is as far as it goes', () => {
    const chain = (n: number) => [`-N C${n}`, ...(n > 1 ? [`-A C${n} -j C${n - 1}`] : [])];
    const lines = Array.from({ length: 16 }, (_, i) => chain(i + 1)).flat();
    expect(run([...lines, '-A INPUT -j C15']).message).toBeNull();
    expect(run([...lines, '-A INPUT -j C16']).message).toContain('Too many links');
  });

  test('a target that is not for this hook is refused through user chains too', () => {
    const nat = ['-t nat -N A', '-t nat -A A -j DNAT --to-destination 10.0.0.1'];
    expect(run([...nat, '-t nat -A PREROUTING -j A']).message).toBeNull();
    expect(run([...nat, '-t nat -A POSTROUTING -j A']).message).toContain(
      'RULE_APPEND failed (Invalid argument): rule in chain POSTROUTING',
    );
    const later = ['-t nat -N A', '-t nat -A POSTROUTING -j A', '-t nat -A A -j DNAT --to-destination 10.0.0.1'];
    expect(run(later).message).toContain('RULE_APPEND failed (Invalid argument): rule in chain A');
  });

  test.each([
    [['-N A', '-N A'], 'iptables: Chain already exists.'],
    [['-N INPUT'], 'iptables: Chain already exists.'],
    [['-N LOG'], 'iptables v1.8.9 (nf_tables): chain name may not clash with target name'],
    [
      ['-N averyveryveryveryverylongnamex'],
      "iptables v1.8.9 (nf_tables): chain name `averyveryveryveryverylongnamex' too long (must be under 29 chars)",
    ],
    [['-N A', '-A A -j ACCEPT', '-X A'], 'iptables v1.8.9 (nf_tables):  CHAIN_DEL failed (Device or resource busy): chain A'],
    [['-N A', '-A INPUT -j A', '-X A'], 'iptables v1.8.9 (nf_tables):  CHAIN_DEL failed (Device or resource busy): chain A'],
    [['-X A'], 'iptables: No chain/target/match by that name.'],
    [['-A INPUT', '-X INPUT'], 'iptables: Directory not empty.'],
    [['-F A'], 'iptables: No chain/target/match by that name.'],
    [['-A A -j ACCEPT'], 'iptables: No chain/target/match by that name.'],
    [['-D INPUT 1'], 'iptables: No chain/target/match by that name.'],
    [['-A INPUT', '-D INPUT 2'], 'iptables: Index of deletion too big.'],
    [['-D INPUT -j DROP'], 'iptables: Bad rule (does a matching rule exist in that chain?).'],
    [['-C INPUT -j DROP'], 'iptables: Bad rule (does a matching rule exist in that chain?).'],
    [['-I INPUT 2 -j DROP'], 'iptables: Index of insertion too big.'],
    [['-A INPUT', '-R INPUT 2 -j DROP'], 'iptables: Index of replacement too big.'],
    [['-I INPUT 0 -j DROP'], "iptables v1.8.9 (nf_tables): Invalid rule number `0'"],
    [['-P INPUT REJECT'], "iptables: Bad policy name. Run `dmesg' for more information."],
    [['-N A', '-P A DROP'], 'iptables: Bad built-in chain name.'],
    [['-N A', '-N B', '-E A B'], 'iptables: File exists.'],
    [['-t foo -A INPUT'], "iptables v1.8.9 (nf_tables): table 'foo' does not exist"],
    [['-A INPUT -o eth0'], "iptables v1.8.9 (nf_tables): Can't use -o with INPUT"],
    [['-A OUTPUT -i eth0'], "iptables v1.8.9 (nf_tables): Can't use -i with OUTPUT"],
    [['-A INPUT -m set --match-set s src'], "iptables v1.8.9 (nf_tables): Set s doesn't exist."],
    [
      ['-t raw -A OUTPUT -m rpfilter'],
      'iptables v1.8.9 (nf_tables):  RULE_APPEND failed (Invalid argument): rule in chain OUTPUT',
    ],
    [
      ['-I OUTPUT -j TTL --ttl-set 5'],
      'iptables v1.8.9 (nf_tables):  RULE_INSERT failed (Invalid argument): rule in chain OUTPUT',
    ],
  ])('%j is refused', (lines, message) => {
    expect(run(lines).message).toBe(`refused: ${message}`);
  });

  test.each(['-A INPUT -m string --string x --algo bm', '-A INPUT -j NFQUEUE', '-A INPUT -p dccp --dport 5', '-V'])(
    '%s is not modelled',
    (line) => {
      expect(run([line]).message).toMatch(/^not-modelled: iptables: /);
    },
  );
});

describe('other variants', () => {
  test('ip6tables has tables and addresses of its own', () => {
    const { host, message } = run(['-A INPUT -s fd00::1 -p icmpv6 --icmpv6-type echo-request -j REJECT'], 'ip6tables');
    expect(message).toBeNull();
    expect(host.netfilter.iptables.size).toBe(0);
    expect(host.netfilter.ip6tables.get('filter')!.chain('INPUT')!.body(0)).toBe(
      '-s fd00::1/128 -p ipv6-icmp -m icmp6 --icmpv6-type 128 -j REJECT --reject-with icmp6-port-unreachable',
    );
    expect(run(['-A INPUT -s 10.0.0.1'], 'ip6tables').message).toBe(
      "refused: ip6tables v1.8.9 (nf_tables): host/network `10.0.0.1' not found",
    );
  });

  test('iptables-legacy stands beside, and loads a table whole', () => {
    const { host } = run(['-P FORWARD DROP'], 'iptables-legacy');
    expect(host.netfilter.iptables.size).toBe(0);
    expect([...host.netfilter.iptablesLegacy!.get('filter')!.chainNames()]).toEqual(['INPUT', 'FORWARD', 'OUTPUT']);
    expect(run(['-N A', '-A INPUT -j A', '-X A'], 'iptables-legacy').message).toBe('refused: iptables: Too many links.');
    expect(run(['-N A', '-A A', '-X A'], 'iptables-legacy').message).toBe('refused: iptables: Directory not empty.');
    expect(run(['-A INPUT -j DNAT --to 1.1.1.1'], 'iptables-legacy').message).toBe(
      "refused: iptables: Invalid argument. Run `dmesg' for more information.",
    );
  });
});
