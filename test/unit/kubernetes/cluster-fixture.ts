import { parseCidr } from '../../../src/net/cidr.ts';
import { parseIp } from '../../../src/net/ip.ts';
import type { Cidr } from '../../../src/net/cidr.ts';
import type { IpAddress } from '../../../src/net/ip.ts';
import type { Cluster, CniConfig, ContainerPort, ExternalHost, Node, Pod } from '../../../src/kubernetes/model/cluster.ts';

export const FLANNEL_VXLAN: Extract<CniConfig, { plugin: 'flannel' }> = {
  plugin: 'flannel',
  backend: 'vxlan',
  vni: 1,
  port: 8472,
  mtu: null,
  podMtu: null,
  ipMasq: true,
  iptablesForwardRules: true,
  hairpinMode: true,
};

export function ip(text: string): IpAddress {
  const address = parseIp(text);
  if (address === null) throw new Error(`not an address: ${text}`);
  return address;
}

export function cidr(text: string): Cidr {
  const prefix = parseCidr(text);
  if (prefix === null) throw new Error(`not a prefix: ${text}`);
  return prefix;
}

export function node(name: string, address: string, podCidr: string, more: Partial<Node> = {}): Node {
  return {
    name,
    addresses: [ip(address)],
    podCidrs: [cidr(podCidr)],
    labels: {},
    annotations: {},
    mtu: 1500,
    sysctls: {},
    extraAddresses: [],
    interfaces: [],
    iptablesSave: null,
    commands: [],
    position: null,
    ...more,
  };
}

export function pod(name: string, nodeName: string, address: string, more: Partial<Pod> = {}): Pod {
  return {
    namespace: 'default',
    name,
    node: nodeName,
    addresses: [ip(address)],
    labels: {},
    hostNetwork: false,
    ready: true,
    serving: true,
    terminating: false,
    ports: [],
    assumedPorts: [],
    mtu: null,
    hairpinMode: null,
    owner: null,
    commands: [],
    position: null,
    ...more,
  };
}

export function containerPort(port: number, more: Partial<ContainerPort> = {}): ContainerPort {
  return { name: '', port, protocol: 'tcp', hostPort: null, hostIp: null, listens: true, ...more };
}

export function external(name: string, address: string, more: Partial<ExternalHost> = {}): ExternalHost {
  return { name, addresses: [ip(address)], ports: [], commands: [], position: null, ...more };
}

/** The cluster of golden/kernel: two nodes on 172.18.0.0/16, flannel vxlan, three pods, one external host inside and one outside. */
export function twoNodes(more: Partial<Cluster> = {}): Cluster {
  return {
    name: 'test',
    kubernetesVersion: { major: 1, minor: 30 },
    podCidrs: [cidr('10.244.0.0/16')],
    serviceCidrs: [cidr('10.96.0.0/12')],
    dnsDomain: 'cluster.local',
    cni: FLANNEL_VXLAN,
    kubeProxy: {
      mode: 'iptables',
      clusterCidrs: [cidr('10.244.0.0/16')],
      detectLocalMode: 'ClusterCIDR',
      detectLocal: { bridgeInterface: '', interfaceNamePrefix: '' },
      nodePortAddresses: [],
      iptables: { masqueradeAll: false, masqueradeBit: 14, localhostNodePorts: true },
      ipvs: { scheduler: 'rr', strictArp: false, excludeCidrs: [] },
      nftables: { masqueradeAll: false, masqueradeBit: 14 },
      conntrackTcpBeLiberal: false,
      featureGates: {},
    },
    underlay: { nodeCidr: cidr('172.18.0.0/16'), router: ip('172.18.0.1'), subnets: [], firewall: [], commands: [] },
    nodes: [node('node1', '172.18.0.2', '10.244.1.0/24'), node('node2', '172.18.0.3', '10.244.2.0/24')],
    pods: [
      pod('client', 'node1', '10.244.1.2'),
      pod('web-1', 'node1', '10.244.1.3', { ports: [containerPort(8080), containerPort(5353, { protocol: 'udp' })] }),
      pod('web-2', 'node2', '10.244.2.2', { ports: [containerPort(8080)] }),
    ],
    services: [],
    endpointSlices: [],
    externals: [external('laptop', '192.0.2.10'), external('neighbour', '172.18.0.100')],
    workloads: [],
    ingresses: [],
    ingressClasses: [],
    ingressSettings: { controller: null, upstream: 'service', className: null },
    loadBalancer: null,
    externalDns: [],
    notModelled: [],
    ...more,
  };
}
