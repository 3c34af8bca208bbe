import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../../src/scenario/load.ts';
import { commandsOf, sysctlCommandDiagnostics, sysctlDiagnostics } from '../../../src/usecase/sysctl-diagnostics.ts';

function told(sysctls: Record<string, string | number>): readonly string[] {
  const text = JSON.stringify({ cni: 'flannel-vxlan', nodes: [{ name: 'node-1', ip: '192.168.0.11', sysctls }] });
  const loaded = loadScenario([{ name: 'x.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error('does not load');
  const { cluster } = loaded.scenario;
  return sysctlDiagnostics([cluster, cluster]).map(({ severity, message, hint = '', position }) =>
    [severity, position?.line, message, hint].join(' '),
  );
}

describe('sysctls of nodes', () => {
  test.each<[string, string, string | number, RegExp | null]>([
    ['one that acts', 'net.ipv4.ip_forward', 0, null],
    ['one of a device', 'net.ipv4.conf.cni0.rp_filter', 1, null],
    ['a device with a dot', 'net.ipv4.conf.flannel/1.rp_filter', 1, null],
    ['one without a part in a walk', 'net.ipv4.tcp_keepalive_time', 600, null],
    ['one outside networking', 'vm.swappiness', 0, null],
    [
      'a misspelt key',
      'net.ipv4.ip_foward',
      0,
      /^error 1 .*"net.ipv4.ip_foward": there is no such key Did you mean "net.ipv4.ip_forward"/,
    ],
    ['no key at all', 'foo', 'bar', /^error 1 .*no such key Keys are those/],
    ['a value that is no number', 'net.ipv4.conf.all.rp_filter', 'hello', /^error 1 .*takes no "hello"/],
    [
      'a device that is not there',
      'net.ipv4.conf.eth7.rp_filter',
      1,
      /^error 1 .*no device "eth7" Did you mean "net.ipv4.conf.eth0.rp_filter"/,
    ],
    ['a port range of privileged ports', 'net.ipv4.ip_local_port_range', 1, /^error 1 .*takes no "1"/],
    ['one that is not modelled', 'net.ipv4.conf.all.proxy_arp', 1, /^warning 1 .*is not modelled/],
    ['a timeout of conntrack', 'net.netfilter.nf_conntrack_udp_timeout', 10, /^warning 1 .*is not modelled/],
    ['a misspelt key of IPv6', 'net.ipv6.conf.all.forwardin', 1, /^error 1 .*Did you mean "net.ipv6.conf.all.forwarding"/],
    ['a misspelt key of conntrack', 'net.netfilter.nf_conntrack_maks', 1, /^error 1 .*"net.netfilter.nf_conntrack_max"/],
    ['a misspelt key of the core', 'net.core.somaxcon', 1, /^error 1 .*Did you mean "net.core.somaxconn"/],
    ['a device that has no IPv6 settings', 'net.ipv6.conf.eth7.forwarding', 1, /^error 1 .*eth7/],
    ['the same at its usual value', 'net.ipv4.conf.all.proxy_arp', 0, null],
  ])('%s', (_, key, value, expected) => {
    expect(told({ [key]: value })).toEqual(expected === null ? [] : [expect.stringMatching(expected)]);
  });
});

describe('sysctls of commands', () => {
  const toldOf = (scenario: object): readonly string[] => {
    const loaded = loadScenario([{ name: 'x.yaml', text: JSON.stringify(scenario) }], { readFile: () => null });
    if (!loaded.ok) throw new Error('does not load');
    return sysctlCommandDiagnostics(commandsOf(loaded.scenario)).map(({ severity, message }) => `${severity} ${message}`);
  };
  const node = { name: 'node-1', ip: '192.168.0.11' };

  test.each<[string, readonly string[]]>([
    ['sysctl -w net.ipv4.conf.all.proxy_arp=1', ['net.ipv4.conf.all.proxy_arp']],
    ['sudo /sbin/sysctl -qw net/ipv4/conf/eth0/proxy_arp=1 net.ipv4.ip_forward=0', ['net/ipv4/conf/eth0/proxy_arp']],
    ['sysctl net.ipv4.conf.all.proxy_arp', []],
    ['sysctl -w net.ipv4.conf.all.proxy_arp=0', []],
    ['ip route add blackhole 10.0.0.0/8', []],
  ])('%s', (command, keys) => {
    const expected = keys.map((key) => `warning node/node-1: sysctl "${key}" is not modelled, the setting has no effect here`);
    expect(toldOf({ cni: 'none', nodes: [{ ...node, commands: [command] }] })).toEqual(expected);
  });

  test('of steps, each told once', () => {
    const command = 'node-1: sysctl -w net.ipv4.conf.all.proxy_arp=1';
    expect(toldOf({ cni: 'none', nodes: [node], steps: [{ do: [command] }, { do: [command] }] })).toEqual([
      'warning node/node-1: sysctl "net.ipv4.conf.all.proxy_arp" is not modelled, the setting has no effect here',
    ]);
  });
});
