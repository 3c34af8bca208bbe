import type { Random } from './random.ts';

/** A host of the short form, as far as the generator and the shrinker touch it. */
export interface HostDraft {
  name: string;
  commands?: string[];
  [key: string]: unknown;
}

export interface PortDraft {
  containerPort: number;
  protocol: 'TCP' | 'UDP';
  hostPort?: number;
}

export interface PodDraft extends HostDraft {
  node: string;
  ip?: string;
  hostNetwork?: boolean;
  ports: PortDraft[];
}

export interface NodeDraft extends HostDraft {
  ip: string;
  podCIDR: string;
}

/** The scenario document of a generated cluster. */
export interface ScenarioDraft {
  cluster: { podCIDR: string; serviceCIDR: string; kubernetesVersion: string };
  underlay: { nodeCIDR: string; commands?: string[]; firewall?: Record<string, string>[] };
  cni: Record<string, unknown>;
  kubeProxy: Record<string, unknown>;
  nodes: NodeDraft[];
  pods: PodDraft[];
  external: (HostDraft & { ip: string; ports: { port: number; protocol: string }[] })[];
  checks: Record<string, unknown>[];
}

export interface ServiceDraft {
  name: string;
  clusterIP: string;
  ports: { name: string; port: number; protocol: 'TCP' | 'UDP'; nodePort?: number }[];
  externalIPs: string[];
  ingress: string | null;
  /** The Service, and its EndpointSlices. */
  documents: Record<string, unknown>[];
}

export interface ClusterDraft {
  scenario: ScenarioDraft;
  services: ServiceDraft[];
}

const BACKENDS = ['vxlan', 'vxlan', 'vxlan', 'host-gw', 'host-gw', 'ali-vpc', 'bridge'];
const NODE_RANGES = [
  { cidr: '172.18.0.0/16', prefix: '172.18.0' },
  { cidr: '192.168.0.0/24', prefix: '192.168.0' },
  { cidr: '10.0.0.0/24', prefix: '10.0.0' },
];

/** A cluster of two or three nodes with pods, hostNetwork pods, host ports, and services of all types. No commands, no checks. */
export function generateCluster(random: Random): ClusterDraft {
  const range = random.pick(NODE_RANGES);
  const nodes: NodeDraft[] = Array.from({ length: random.int(2, 3) }, (_, i) => ({
    name: `node${i + 1}`,
    ip: `${range.prefix}.${i + 2}`,
    podCIDR: `10.244.${i + 1}.0/24`,
    ...sysctls(random),
  }));
  const pods = generatePods(random, nodes);
  const scenario: ScenarioDraft = {
    cluster: { podCIDR: '10.244.0.0/16', serviceCIDR: '10.96.0.0/12', kubernetesVersion: '1.30' },
    underlay: {
      nodeCIDR: range.cidr,
      ...(random.chance(0.06) && {
        firewall: [{ drop: random.pick(['udp/8472', 'tcp/8080', 'icmp', 'udp']), from: random.pick(nodes).name }],
      }),
    },
    cni: generateCni(random),
    kubeProxy: generateProxy(random),
    nodes,
    pods,
    external: [
      {
        name: 'laptop',
        ip: '192.0.2.10',
        ports: [
          { port: 443, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      },
      { name: 'neighbour', ip: `${range.prefix}.100`, ports: [{ port: 443, protocol: 'TCP' }] },
    ],
    checks: [],
  };
  const services = ['web', 'dns', 'api']
    .slice(0, random.int(2, 3))
    .map((name, i) => generateService(random, name, i, pods, nodes));
  return { scenario, services };
}

function sysctls(random: Random): { sysctls?: Record<string, number> } {
  const set: Record<string, number> = {};
  if (random.chance(0.12)) set['net.bridge.bridge-nf-call-iptables'] = 0;
  if (random.chance(0.2)) set['net.ipv4.conf.all.rp_filter'] = random.int(1, 2);
  if (random.chance(0.03)) set['net.ipv4.ip_forward'] = 0;
  return Object.keys(set).length === 0 ? {} : { sysctls: set };
}

function generateCni(random: Random): Record<string, unknown> {
  const common = {
    ipMasq: random.chance(0.85),
    ...(random.chance(0.2) && { iptablesForwardRules: false }),
    hairpinMode: random.chance(0.8),
    ...(random.chance(0.08) && { podMTU: random.pick([1400, 1500]) }),
  };
  const backend = random.pick(BACKENDS);
  if (backend === 'bridge') return { plugin: 'bridge', ipMasq: common.ipMasq, hairpinMode: common.hairpinMode };
  if (backend !== 'vxlan') return { plugin: 'flannel', backend, ...common };
  return { plugin: 'flannel', backend, vni: random.pick([1, 1, 42]), port: random.pick([8472, 8472, 4789]), ...common };
}

function generateProxy(random: Random): Record<string, unknown> {
  if (random.chance(0.12)) return { mode: 'nftables' };
  const iptables = {
    ...(random.chance(0.1) && { masqueradeAll: true }),
    ...(random.chance(0.1) && { localhostNodePorts: false }),
  };
  return {
    mode: 'iptables',
    ...(Object.keys(iptables).length > 0 && { iptables }),
    ...(random.chance(0.08) && { nodePortAddresses: random.pick([['primary'], ['172.18.0.0/16'], ['10.244.0.0/16']]) }),
  };
}

function generatePods(random: Random, nodes: readonly NodeDraft[]): PodDraft[] {
  const next = new Map(nodes.map(({ name }) => [name, 2]));
  const names = ['client', 'web-1', 'web-2', 'api-1', 'api-2', 'db-0'].slice(0, random.int(4, 6));
  return names.map((name, i): PodDraft => {
    const node = i === 0 ? nodes[0]! : random.pick(nodes);
    if (i > 0 && random.chance(0.2)) {
      return {
        name,
        node: node.name,
        hostNetwork: true,
        ports: [
          { containerPort: 9100 + i, protocol: 'TCP' },
          { containerPort: 5300 + i, protocol: 'UDP' },
        ],
      };
    }
    const host = next.get(node.name) ?? 2;
    next.set(node.name, host + 1);
    const ports: PortDraft[] = [
      { containerPort: 8080, protocol: 'TCP', ...(random.chance(0.2) && { hostPort: 18080 + i }) },
      ...(random.chance(0.7)
        ? [{ containerPort: 5353, protocol: 'UDP' as const, ...(random.chance(0.15) && { hostPort: 18080 + i }) }]
        : []),
    ];
    return {
      name,
      node: node.name,
      ip: node.podCIDR.replace(/0\/24$/, String(host)),
      ports,
      ...(random.chance(0.08) && { mtu: random.pick([1280, 1400]) }),
      ...(random.chance(0.05) && { hairpinMode: false }),
    };
  });
}

function generateService(
  random: Random,
  name: string,
  index: number,
  pods: readonly PodDraft[],
  nodes: readonly NodeDraft[],
): ServiceDraft {
  const type = random.pick(['ClusterIP', 'NodePort', 'NodePort', 'LoadBalancer']);
  const withUdp = random.chance(0.4);
  const reachable = type !== 'ClusterIP';
  const ports: ServiceDraft['ports'] = [
    {
      name: 'http',
      port: random.pick([80, 443, 8080]),
      protocol: 'TCP',
      ...(reachable && { nodePort: 30080 + index * 100 + random.int(0, 49) }),
    },
    ...(withUdp
      ? [
          {
            name: 'dns',
            port: 53,
            protocol: 'UDP' as const,
            ...(reachable && { nodePort: 30053 + index * 100 + random.int(50, 75) }),
          },
        ]
      : []),
  ];
  const clusterIP = `10.96.${index}.${random.int(20, 200)}`;
  const externalIPs = random.chance(0.25) ? [`203.0.113.${100 + index}`] : [];
  const ingress = type === 'LoadBalancer' ? `203.0.113.${7 + index}` : null;
  const spec = {
    type,
    clusterIP,
    ports: ports.map((port) => ({ ...port, targetPort: port.protocol === 'TCP' ? 8080 : 5353 })),
    ...(reachable && random.chance(0.4) && { externalTrafficPolicy: 'Local' }),
    ...(random.chance(0.15) && { internalTrafficPolicy: 'Local' }),
    ...(random.chance(0.2) && { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } }),
    ...(ingress !== null &&
      random.chance(0.4) && { loadBalancerSourceRanges: [random.pick(['192.0.2.0/24', '10.244.0.0/16', '198.51.100.0/24'])] }),
    ...(externalIPs.length > 0 && { externalIPs }),
  };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec,
    ...(ingress !== null && { status: { loadBalancer: { ingress: [{ ip: ingress }] } } }),
  };
  return {
    name,
    clusterIP,
    ports,
    externalIPs,
    ingress,
    documents: [service, ...endpointSlices(random, name, ports, pods, nodes)],
  };
}

/** One slice for pods with addresses of their own, one for each hostNetwork pod: their ports differ. */
function endpointSlices(
  random: Random,
  service: string,
  ports: ServiceDraft['ports'],
  pods: readonly PodDraft[],
  nodes: readonly NodeDraft[],
): Record<string, unknown>[] {
  const chosen = random.chance(0.1) ? [] : random.some(pods, 0.45);
  const slice = (
    number: number,
    members: readonly PodDraft[],
    portOf: (protocol: 'TCP' | 'UDP') => number,
  ): Record<string, unknown> => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { name: `${service}-${number}`, namespace: 'default', labels: { 'kubernetes.io/service-name': service } },
    ports: ports.map(({ name, protocol }) => ({ name, protocol, port: portOf(protocol) })),
    endpoints: members.map((pod) => ({
      addresses: [pod.ip ?? nodes.find(({ name }) => name === pod.node)!.ip],
      conditions: conditions(random),
      nodeName: pod.node,
    })),
  });
  const plain = chosen.filter((pod) => pod.ip !== undefined);
  const closed = random.chance(0.06);
  const slices = [slice(1, plain, (protocol) => (closed ? 7777 : protocol === 'TCP' ? 8080 : 5353))];
  for (const pod of chosen.filter(({ ip }) => ip === undefined)) {
    const port = (protocol: 'TCP' | 'UDP'): number => pod.ports.find((p) => p.protocol === protocol)?.containerPort ?? 7777;
    slices.push(slice(slices.length + 1, [pod], port));
  }
  return slices;
}

function conditions(random: Random): Record<string, boolean> {
  if (random.chance(0.85)) return { ready: true };
  return random.chance(0.5) ? { ready: false, serving: true, terminating: true } : { ready: false };
}
