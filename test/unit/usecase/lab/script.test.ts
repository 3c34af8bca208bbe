import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../../../src/scenario/load.ts';
import { LabError } from '../../../../src/usecase/lab/lab-error.ts';
import { missingModule } from '../../../../src/usecase/lab/missing-module.ts';
import { belongsTo, labName, labOf } from '../../../../src/usecase/lab/names.ts';
import { planLab } from '../../../../src/usecase/lab/plan-lab.ts';
import { commandText } from '../../../../src/usecase/lab/script/commands.ts';
import { hereDocument, quoteWord } from '../../../../src/usecase/lab/script/shell.ts';

function script(more = ''): string {
  const text = `
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods: [{ name: web, node: node-2, ports: [8080] }]
external: [{ name: laptop, ip: 203.0.113.9 }]
${more}`;
  const loaded = loadScenario([{ name: 'lab.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
  return planLab(loaded.scenario.cluster, { name: labName('abcdef123'), coldNeighbours: false, listeners: true }).script;
}

describe('the script', () => {
  const text = script();

  test('makes a namespace for every host and no device outside of them', () => {
    expect(text.match(/^ip netns add \S+$/gm)).toEqual([
      'ip netns add k8snet-abcdef-node-node-1',
      'ip netns add k8snet-abcdef-node-node-2',
      'ip netns add k8snet-abcdef-pod-default-web',
      'ip netns add k8snet-abcdef-external-laptop',
      'ip netns add k8snet-abcdef-underlay',
    ]);
    expect(text).not.toMatch(/^ip (?!netns (add|exec)|-n )/m);
    for (const line of text.match(/^link add .* type veth .*$/gm) ?? []) expect(line).toMatch(/ netns k8snet-abcdef-\S+$/);
  });

  test('makes each veth pair once', () => {
    expect(text.match(/type veth/g)).toHaveLength(4 + 1);
  });

  test('warms caches unless the check wants them cold', () => {
    expect(text).toContain('neigh replace 192.168.0.12 lladdr 02:42:c0:a8:00:0c dev eth0 nud reachable');
    expect(text).toContain('fdb append be:ef:c0:a8:00:0c dev flannel.1 dst 192.168.0.12 self permanent');
  });

  test('names only base chains that exist', () => {
    expect(text).toContain(':PREROUTING ACCEPT [0:0]');
    expect(text).not.toContain('*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT');
  });

  test('drops what the firewall of the underlay drops', () => {
    expect(script('underlay: { firewall: [{ drop: udp/8472, from: node-1 }] }')).toContain(
      'iifname { "ul-node-1" } udp dport 8472 drop',
    );
  });
});

describe('commands', () => {
  test.each([
    ['ip route del 10.244.1.0/24', 'ip route del 10.244.1.0/24'],
    ['iptables -A FORWARD -m comment --comment "a  b" -j DROP', 'iptables -A FORWARD -m comment --comment "a  b" -j DROP'],
    ['sysctl -w net.ipv4.ip_forward=0', 'sysctl -w net.ipv4.ip_forward=0'],
    ['iptables -A FORWARD -m comment --comment ~x', "iptables -A FORWARD -m comment --comment '~x'"],
  ])('%s', (line, expected) => expect(commandText('node/a', line)).toBe(expected));

  test.each([
    'ip netns del other',
    'ip net add other',
    'ip -n other link',
    'ip -batch file',
    'ip link set eth0 netns 1',
    'ip vrf exec red sh',
    'sysctl -w kernel.hostname=x',
    'sysctl -p /etc/passwd',
    'nft -f file',
    'iptables --modprobe=/bin/sh -L',
    'rm -rf /',
    'ip link; reboot',
    'ip link $(reboot)',
    'ip link\nreboot',
  ])('%j is refused', (line) => expect(() => commandText('node/a', line)).toThrow(LabError));
});

describe('shell', () => {
  test.each([
    ['a-b.c/1', 'a-b.c/1'],
    ['a b', "'a b'"],
    ["it's", String.raw`'it'\''s'`],
    ['', "''"],
  ])('%j', (word, quoted) => expect(quoteWord(word)).toBe(quoted));

  test('a here-document ends with a word that its text does not have', () => {
    expect(hereDocument('cat', 'END\nrm\nEND2')).toBe("cat <<'END3'\nEND\nrm\nEND2\nEND3\n");
  });
});

describe('names', () => {
  test.each([
    ['k8snet-abcdef-node-a', true],
    ['k8snet-abcdef1-node-a', false],
    ['k8snet-abcdef', false],
  ])('%s', (name, ours) => expect(belongsTo('k8snet-abcdef', name)).toBe(ours));

  test('foreign namespaces belong to no lab', () => {
    expect([labOf('k8snet-abc123-node-a'), labOf('k8s-x-y'), labOf('k8snet-abc')]).toEqual(['k8snet-abc123', null, null]);
  });
});

test.each([
  [
    'Warning: Extension recent revision 0 not supported, missing kernel module?',
    'the match or target "recent" of iptables (module xt_recent)',
  ],
  ['Error: Unknown device type.', 'a type of device (vxlan, bridge, veth or dummy)'],
  [
    'sysctl: cannot stat /proc/sys/net/bridge/bridge-nf-call-iptables: No such file or directory',
    'the setting net.bridge.bridge-nf-call-iptables',
  ],
  ['RTNETLINK answers: File exists', null],
])('what a kernel lacks: %s', (message, missing) => expect(missingModule(message)).toBe(missing));
