import { describe, expect, test } from 'vitest';
import { cidr, containerPort, ip, pod, twoNodes } from './cluster-fixture.ts';
import { chain, host } from './host-text.ts';
import { podChain, sandboxId } from '../../../src/kubernetes/sandbox-id.ts';
import { vethName } from '../../../src/kubernetes/stable-mac.ts';
import { addRules } from '../../../src/kubernetes/add-rules.ts';
import { portmapRules } from '../../../src/kubernetes/portmap.ts';

const named = (name: string) => ({ namespace: 'default', name });

test('names that a runtime would draw', () => {
  expect(vethName(named('client'))).toBe('vethce2a28d0');
  expect(vethName(named('web-1'))).toBe('veth85dffee6');
  expect(sandboxId(named('web-1'))).toBe(`${'0'.repeat(48)}85dffee674f551fa`);
  expect(podChain('CNI-DN-', named('web-1'))).toBe('CNI-DN-9f2b5c03aa436a648fc21');
  expect(podChain('CNI-DN-', named('web-2'))).toBe('CNI-DN-2bcda277a5b1d5343f5b7');
  expect(podChain('CNI-', named('web-1'))).toHaveLength(28);
});

describe('host ports', () => {
  const web = pod('web-1', 'node1', '10.244.1.3', {
    ports: [
      containerPort(53, { hostPort: 5353, protocol: 'udp' }),
      containerPort(8080, { hostPort: 18080 }),
      containerPort(9090),
      containerPort(8443, { hostPort: 18443, hostIp: ip('172.18.0.2') }),
      containerPort(7000, { hostPort: 17000, hostIp: ip('0.0.0.0') }),
    ],
  });
  const node1 = host(twoNodes({ pods: [web, pod('client', 'node1', '10.244.1.2')] }), 'node/node1');
  const nat = (name: string) => chain(node1.netfilter.iptables, 'nat', name);
  const comment = `-m comment --comment "dnat name: \\"cbr0\\" id: \\"${sandboxId(web)}\\""`;

  test('jumps: the masquerade jump first, the others last', () => {
    expect(nat('PREROUTING').at(-1)).toBe('-m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT');
    expect(nat('OUTPUT').at(-1)).toBe('-m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT');
    expect(nat('POSTROUTING').map((rule) => rule.split(' ').at(-1))).toEqual([
      'CNI-HOSTPORT-MASQ',
      'KUBE-POSTROUTING',
      'FLANNEL-POSTRTG',
    ]);
    expect(nat('CNI-HOSTPORT-SETMARK')).toEqual([
      '-m comment --comment "CNI portfwd masquerade mark" -j MARK --set-xmark 0x2000/0x2000',
    ]);
    expect(nat('CNI-HOSTPORT-MASQ')).toEqual(['-m mark --mark 0x2000/0x2000 -j MASQUERADE']);
  });

  test('one entry a protocol, translations in the order of the pod', () => {
    expect(nat('CNI-HOSTPORT-DNAT')).toEqual([
      `-p tcp ${comment} -m multiport --dports 18080,18443,17000 -j CNI-DN-9f2b5c03aa436a648fc21`,
      `-p udp ${comment} -m multiport --dports 5353 -j CNI-DN-9f2b5c03aa436a648fc21`,
    ]);
    expect(nat('CNI-DN-9f2b5c03aa436a648fc21')).toEqual([
      '-s 10.244.1.0/24 -p udp -m udp --dport 5353 -j CNI-HOSTPORT-SETMARK',
      '-s 127.0.0.1/32 -p udp -m udp --dport 5353 -j CNI-HOSTPORT-SETMARK',
      '-p udp -m udp --dport 5353 -j DNAT --to-destination 10.244.1.3:53',
      '-s 10.244.1.0/24 -p tcp -m tcp --dport 18080 -j CNI-HOSTPORT-SETMARK',
      '-s 127.0.0.1/32 -p tcp -m tcp --dport 18080 -j CNI-HOSTPORT-SETMARK',
      '-p tcp -m tcp --dport 18080 -j DNAT --to-destination 10.244.1.3:8080',
      '-s 10.244.1.0/24 -d 172.18.0.2/32 -p tcp -m tcp --dport 18443 -j CNI-HOSTPORT-SETMARK',
      '-s 127.0.0.1/32 -d 172.18.0.2/32 -p tcp -m tcp --dport 18443 -j CNI-HOSTPORT-SETMARK',
      '-d 172.18.0.2/32 -p tcp -m tcp --dport 18443 -j DNAT --to-destination 10.244.1.3:8443',
      '-s 10.244.1.0/24 -p tcp -m tcp --dport 17000 -j CNI-HOSTPORT-SETMARK',
      '-s 127.0.0.1/32 -p tcp -m tcp --dport 17000 -j CNI-HOSTPORT-SETMARK',
      '-p tcp -m tcp --dport 17000 -j DNAT --to-destination 10.244.1.3:7000',
    ]);
  });

  test('at most 15 ports an entry', () => {
    const ports = Array.from({ length: 17 }, (_, index) => containerPort(8000 + index, { hostPort: 20000 + index }));
    const tables = addRules(new Map(), portmapRules([pod('many', 'node1', '10.244.1.9', { ports })], cidr('10.244.1.0/24')));
    const entries = chain(tables, 'nat', 'CNI-HOSTPORT-DNAT');
    expect(entries.map((rule) => /--dports (\S+)/.exec(rule)?.[1]?.split(',').length)).toEqual([15, 2]);
  });

  test('localhost may be routed to the bridge', () => {
    expect(node1.sysctls.get('net.ipv4.conf.cni0.route_localnet')).toBe('1');
  });

  test('nothing without a host port', () => {
    const other = host(twoNodes(), 'node/node1');
    expect(other.netfilter.iptables.get('nat')?.chain('CNI-HOSTPORT-DNAT')).toBeUndefined();
    expect(other.sysctls.has('net.ipv4.conf.cni0.route_localnet')).toBe(false);
  });
});
