import { describe, expect, test } from 'vitest';
import { engine } from '../../../src/usecase/engine.ts';
import { rulesText } from '../../../src/usecase/rules-text.ts';
import { topologyOf } from '../../../src/usecase/topology/index.ts';
import { rulesBehind } from '../../../src/usecase/topology/reach.ts';
import { chainsAt, detailIn, gallery, made, nodeIn, scenarioOf } from './topology-of.ts';
import type { TopologyDetail } from '../../../src/trace/topology.ts';

const TUTORIAL = made(gallery('tutorial'));

/** A node with some commands. */
function withCommands(...commands: readonly string[]): TopologyDetail {
  const lines = commands.map((command) => JSON.stringify(command)).join(', ');
  return detailIn(made(scenarioOf(`nodes: [{ name: node-1, ip: 192.168.0.11, commands: [${lines}] }]`)));
}

describe('devices', () => {
  test('of a node: lo, eth0, the bridge with a port for each pod, the tunnel', () => {
    expect(nodeIn(TUTORIAL).devices.map(({ name, kind, master }) => [name, kind, master])).toEqual([
      ['lo', 'loopback', null],
      ['eth0', 'veth', null],
      ['cni0', 'bridge', null],
      ['vethce2a28d0', 'veth', 'cni0'],
      ['veth85dffee6', 'veth', 'cni0'],
      ['flannel.1', 'vxlan', null],
    ]);
  });

  test('of a pair name each other', () => {
    for (const { name: node, devices, pods } of TUTORIAL.nodes) {
      for (const pod of pods) {
        const eth0 = pod.devices.find(({ name }) => name === 'eth0');
        expect(eth0?.peer?.host).toBe(`node/${node}`);
        expect(devices.find(({ name }) => name === eth0?.peer?.device)?.peer).toEqual({ host: pod.name, device: 'eth0' });
      }
    }
  });

  test('are as commands left them', () => {
    const topology = made(gallery('tutorial'));
    const changed = made(
      scenarioOf(`
nodes: [{ name: node-1, ip: 192.168.0.11, commands: [ip link set eth0 mtu 1400, ip link set cni0 down, ip addr add 10.9.9.9/32 dev lo] }]`),
    );
    const device = (name: string) => nodeIn(changed).devices.find((candidate) => candidate.name === name);
    expect(nodeIn(topology).devices.find(({ name }) => name === 'eth0')?.mtu).toBe(1500);
    expect(device('eth0')?.mtu).toBe(1400);
    expect(device('cni0')?.up).toBe(false);
    expect(device('lo')?.addresses).toContain('10.9.9.9/32');
  });

  test('of kube-proxy in mode ipvs hold the addresses of services', () => {
    const ipvs = nodeIn(made(gallery('mode-ipvs-ping'))).devices.find(({ name }) => name === 'kube-ipvs0');
    expect(ipvs).toMatchObject({ kind: 'dummy', addresses: ['10.96.0.20/32'], by: 'kube-proxy' });
  });
});

describe('pods', () => {
  test.each([
    ['a pod of the short form', 'flannel-vxlan', '', ['client'], true],
    ['a pod with sidecars', 'flannel-vxlan', ', containers: [app, { name: proxy }]', ['app', 'proxy'], true],
    ['a container of Docker', 'docker', '', ['client'], false],
    ['containers of Docker that share a namespace', 'docker', ', containers: [app, proxy]', ['app', 'proxy'], true],
    ['a pod in the host’s namespace', 'flannel-vxlan', ', hostNetwork: true', ['client'], false],
  ])('%s', (_, cni, more, containers, pause) => {
    const topology = made(
      scenarioOf(`{ cni: ${cni}, nodes: [{ name: n, ip: 192.168.0.11 }], pods: [{ name: client, node: n${more} }] }`),
    );
    expect(nodeIn(topology).pods).toMatchObject([{ name: 'pod/default/client', containers, pause }]);
  });

  test('of manifests have the names of their containers, sidecars among the init containers too', () => {
    const topology = made(
      scenarioOf(`
nodes: [{ name: n, ip: 192.168.0.11 }]
---
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  nodeName: n
  containers: [{ name: nginx }, { name: exporter }]
  initContainers: [{ name: setup }, { name: mesh, restartPolicy: Always }]`),
    );
    expect(nodeIn(topology).pods[0]?.containers).toEqual(['nginx', 'exporter', 'mesh']);
  });

  test('have routes, and sockets', () => {
    const [, web] = nodeIn(TUTORIAL).pods;
    expect(web?.routes[0]).toBe('default via 10.244.0.1 dev eth0');
    expect(web?.listens).toEqual([{ protocol: 'tcp', port: 8080 }]);
  });
});

describe('hooks', () => {
  test('tell the rules of each table and whose they are', () => {
    const detail = detailIn(TUTORIAL);
    expect(chainsAt(detail, 'FORWARD')).toEqual([
      {
        kind: 'iptables',
        family: 4,
        table: 'filter',
        chain: 'FORWARD',
        policy: 'ACCEPT',
        rules: 5,
        behind: 5,
        makers: [
          { by: 'kube-proxy', rules: 4, behind: 3 },
          { by: 'flannel', rules: 1, behind: 2 },
        ],
      },
    ]);
    expect(detail.conntrack).toBe(true);
  });

  test.each(['tutorial', 'basics-06-node-port'])('count the rules that %s’s nodes have', (name) => {
    const { cluster } = gallery(name);
    const printed = rulesText(cluster, { node: 'node-1', component: 'all', format: 'iptables-save' });
    if (!printed.ok) throw new Error(printed.message);
    const [nat] = /\*nat[\s\S]*?COMMIT/.exec(printed.value) ?? [''];
    // Everything that is in nat can be reached from PREROUTING and POSTROUTING, but the jumps of OUTPUT and what nobody jumps to.
    const inChains = nat.match(/^-A (?!PREROUTING|OUTPUT|POSTROUTING)/gm)?.length ?? 0;
    const detail = detailIn(made({ ...gallery(name), cluster }), 'node-1');
    const [pre] = chainsAt(detail, 'PREROUTING');
    const [post] = chainsAt(detail, 'POSTROUTING');
    expect((pre?.behind ?? 0) + (post?.behind ?? 0)).toBe(inChains);
    expect(pre?.rules).toBe(nat.match(/^-A PREROUTING/gm)?.length);
  });

  test('stand in the order in which the kernel calls them', () => {
    const detail = withCommands('iptables -t raw -A PREROUTING -j ACCEPT', 'iptables -t mangle -A PREROUTING -j ACCEPT');
    expect(chainsAt(detail, 'PREROUTING').map(({ table }) => table)).toEqual(['raw', 'mangle', 'nat']);
    const ipvs = detailIn(made(gallery('mode-ipvs-ping')));
    expect(chainsAt(ipvs, 'INPUT').map(({ kind }) => kind)).toEqual(['iptables', 'ipvs', 'iptables']);
    expect(chainsAt(ipvs, 'OUTPUT').map(({ kind, table }) => `${kind} ${table}`)).toEqual([
      'iptables nat',
      'ipvs null',
      'iptables filter',
    ]);
  });

  test('tell an operator’s rule and policy', () => {
    const [filter] = chainsAt(withCommands('iptables -P FORWARD DROP', 'iptables -A FORWARD -j LOG'), 'FORWARD');
    expect(filter?.policy).toBe('DROP');
    expect(filter?.makers.at(-1)).toEqual({ by: 'operator', rules: 1, behind: 0 });
  });

  test('tell the chains of nftables, and what their maps lead to', () => {
    const { cluster } = gallery('tutorial');
    const detail = detailIn(
      made({ ...gallery('tutorial'), cluster: { ...cluster, kubeProxy: { ...cluster.kubeProxy, mode: 'nftables' } } }),
    );
    const [, nat] = chainsAt(detail, 'PREROUTING');
    expect(nat).toMatchObject({ kind: 'nftables', family: 4, table: 'kube-proxy', chain: 'nat-prerouting', rules: 1 });
    // services, the service's chain and those of both endpoints
    expect(nat?.behind).toBeGreaterThanOrEqual(6);
    expect(nat?.makers).toMatchObject([{ by: 'kube-proxy' }]);
  });

  test('count every chain once, also in a ring', () => {
    const chains = new Map([
      ['A', { rules: 2, jumps: ['B', 'C'] }],
      ['B', { rules: 3, jumps: ['A'] }],
      ['C', { rules: 5, jumps: ['B', 'no such chain'] }],
    ]);
    expect(rulesBehind(['A', 'B'], (name) => chains.get(name), new Set())).toBe(10);
  });

  test('count no further than anybody wants to know', () => {
    const endless = (name: string) => ({ rules: 60_000, jumps: [`${name}+`] });
    expect(rulesBehind(['A'], endless, new Set())).toBe(100_000);
  });
});

describe('routes', () => {
  test('say what they are for', () => {
    expect(detailIn(TUTORIAL).routes.map(({ text, purpose }) => [text, purpose])).toEqual([
      ['default via 192.168.0.1 dev eth0', 'everything else: the router'],
      ['10.244.0.0/24 dev cni0 proto kernel scope link src 10.244.0.1', 'pods of this node, on cni0'],
      ['10.244.1.0/24 via 10.244.1.0 dev flannel.1 onlink', 'pods of node-2, by the tunnel'],
      ['192.168.0.0/24 dev eth0 proto kernel scope link src 192.168.0.11', 'the nodes’ own network'],
    ]);
  });

  test.each([
    ['ip route add unreachable 10.7.0.0/16', 'refused: no route to host'],
    ['ip route add prohibit 10.7.0.0/16', 'refused: prohibited'],
    ['ip route add blackhole 10.7.0.0/16', 'dropped without a word'],
    ['ip route add 10.7.0.0/16 via 192.168.0.99', 'by way of 192.168.0.99'],
    ['ip route add 10.7.0.0/16 dev eth0', 'on the link'],
    ['ip route add default via 192.168.0.99 table 7', 'everything else: by way of 192.168.0.99'],
    ['ip route add default dev eth0 table 7', 'everything else: on eth0'],
  ])('%s', (command, purpose) => {
    const { routes } = withCommands(command);
    expect(routes.find(({ table, text }) => text.includes('10.7.0.0/16') || table === '7')?.purpose).toBe(purpose);
  });

  test('without a tunnel lead to the other node, or to the router that knows', () => {
    expect(detailIn(made(gallery('basics-03-host-gw'))).routes.map(({ purpose }) => purpose)).toContain(
      'pods of node-2, the node is the next hop',
    );
    const cloud = made(gallery('basics-04-cloud-routes'));
    expect(cloud.underlay.routes.map(({ purpose }) => purpose)).toContain('pods of node-2, the node is the next hop');
  });

  test('of a large cluster are not all listed', () => {
    const nodes = Array.from({ length: 120 }, (_, i) => `{ name: n${i}, ip: 192.168.1.${i + 2} }`);
    const scenario = scenarioOf(`{ cluster: { podCIDR: 10.0.0.0/8 }, nodes: [${nodes.join(', ')}] }`);
    const detail = detailIn(made(scenario, { node: 'n7' }));
    expect(detail.routes).toHaveLength(100);
    expect(detail.moreRoutes).toBe(22);
    expect(made(scenario).nodes.every((node) => node.detail === null)).toBe(true);
    expect(made(scenario, { node: null, limit: { nodes: 6, detailed: 0 } })).toMatchObject({
      nodes: { length: 6 },
      cluster: { nodes: 120 },
    });
  });
});

describe('ways in', () => {
  test('are node ports, host ports and sockets', () => {
    const detail = detailIn(
      made(
        scenarioOf(`
nodes: [{ name: node-1, ip: 192.168.0.11 }]
pods:
  - { name: web, node: node-1, labels: { app: web }, ports: [{ containerPort: 8080, hostPort: 81 }] }
  - { name: agent, node: node-1, hostNetwork: true, ports: [9100] }
services:
  - { name: web, type: NodePort, selector: { app: web }, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] }`),
      ),
    );
    expect(detail.entrances).toEqual([
      { kind: 'node-port', protocol: 'tcp', port: 30080, address: null, object: 'Service default/web', to: '80' },
      { kind: 'host-port', protocol: 'tcp', port: 81, address: null, object: 'Pod default/web', to: '10.244.0.2:8080' },
      { kind: 'socket', protocol: 'tcp', port: 9100, address: null, object: 'Pod default/agent', to: null },
    ]);
  });

  test('of a dump are what its rules say, and its rules count', () => {
    const detail = detailIn(
      made(
        scenarioOf(
          'nodes: [{ name: node-1, ip: 192.168.0.11, iptablesSave: test/golden/iptables-save/01-kubeproxy-1.18-iptables-flannel.save }]',
        ),
      ),
    );
    expect(detail.dumps).toEqual([expect.stringContaining('01-kubeproxy-1.18')]);
    expect(detail.entrances.length).toBeGreaterThan(0);
    for (const entrance of detail.entrances)
      expect(entrance).toMatchObject({ kind: 'node-port', object: expect.stringMatching(/^Service /) });
    expect(chainsAt(detail, 'PREROUTING').find(({ table }) => table === 'nat')?.makers).toMatchObject([{ by: 'kube-proxy' }]);
  });
});

describe('the underlay', () => {
  test('is switches with their hosts, and a router to what is outside', () => {
    const { underlay, externals } = made(gallery('17-rp-filter-broken'));
    expect(underlay.networks.map(({ name, ranges, routers }) => [name, ranges, routers])).toEqual([
      [null, ['192.168.0.0/24'], ['192.168.0.1']],
      ['storage', ['10.9.0.0/24'], ['10.9.0.1']],
    ]);
    expect(underlay.networks[1]?.ports.map(({ host, device, addresses }) => [host, device, addresses])).toEqual([
      ['node/node-1', 'eth1', ['10.9.0.11']],
      ['external/backup', 'eth0', ['10.9.0.50']],
    ]);
    expect(externals.map(({ name, network }) => [name, network])).toEqual(
      expect.arrayContaining([
        ['backup', 'br1'],
        ['laptop', null],
      ]),
    );
  });

  test('has balancers of the cloud behind its router, and tables for their answers', () => {
    const service = '{ name: web, type: LoadBalancer, ports: [{ name: a, port: 80 }, { name: b, port: 53, protocol: UDP }] }';
    const text = `{ loadBalancer: {}, nodes: [{ name: n, ip: 192.168.0.11 }], services: [${service}] }`;
    const { balancers, underlay } = made(scenarioOf(text));
    expect(balancers).toEqual([
      {
        host: 'balancer/default/web',
        object: 'Service default/web',
        addresses: ['198.51.100.1'],
        ownAddresses: ['100.64.0.1'],
        mode: 'nodePort',
        listens: [
          { protocol: 'tcp', port: 80 },
          { protocol: 'udp', port: 53 },
        ],
      },
    ]);
    expect(underlay.routes.map(({ table, text: route, purpose }) => [table, route, purpose])).toEqual([
      ['main', '100.64.0.1 dev lb-web scope link', 'balancer/default/web'],
      ['main', '198.51.100.1 via 100.64.0.1 dev lb-web', 'balancer/default/web'],
      ['1000', 'default via 100.64.0.1 dev lb-web', 'answers by way of balancer/default/web'],
    ]);
    expect(underlay.moreRoutes).toBe(0);
    expect(TUTORIAL.balancers).toEqual([]);
  });

  test('says how many routes of the router are not listed', () => {
    const nodes = Array.from({ length: 120 }, (_, i) => `{ name: n${i}, ip: 192.168.1.${i + 2} }`);
    const scenario = scenarioOf(`{ cni: flannel-ali-vpc, cluster: { podCIDR: 10.0.0.0/8 }, nodes: [${nodes.join(', ')}] }`);
    const { underlay } = made(scenario, { node: null, limit: { nodes: 1, detailed: 0 } });
    expect([underlay.routes.length, underlay.moreRoutes]).toEqual([100, 20]);
  });

  test('has tunnels over it', () => {
    expect(TUTORIAL.overlays).toEqual([{ kind: 'vxlan', device: 'flannel.1', vni: 1, port: 8472, by: 'flannel' }]);
    expect(made(gallery('basics-03-host-gw')).overlays).toEqual([]);
  });

  test('drops what its firewall says', () => {
    expect(made(gallery('11-tunnel-blocked-broken')).underlay.firewall.join()).toContain('udp/8472');
  });
});

describe('refuses', () => {
  test('a node that there is not, and says which is meant', () => {
    const result = topologyOf(gallery('tutorial').cluster, { node: 'node-11' }, engine);
    expect(result).toMatchObject({ ok: false, diagnostics: [{ message: expect.stringContaining('did you mean node-1?') }] });
  });

  test('a command that is refused, with its place', () => {
    const { cluster } = scenarioOf('nodes:\n  - { name: node-1, ip: 192.168.0.11, commands: [ip link set eth9 up] }');
    const result = topologyOf(cluster, { node: null }, engine);
    expect(result).toMatchObject({ ok: false, diagnostics: [{ position: { line: 2 } }] });
  });
});
