import { parseCidr } from '../../../src/net/cidr.ts';
import type { Cidr } from '../../../src/net/cidr.ts';
import { parseIp } from '../../../src/net/ip.ts';
import type { IpAddress } from '../../../src/net/ip.ts';
import type { Cluster, ContainerPort, Node, Pod, Service, ServicePort } from '../../../src/kubernetes/model/cluster.ts';
import type { Probe } from '../../../src/kubernetes/model/check.ts';
import type { ConnectionRequest, ConnectionResult } from '../../../src/kernel/walk/connection.ts';
import type { World } from '../../../src/kernel/world.ts';

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

export function containerPort(port: number, more: Partial<ContainerPort> = {}): ContainerPort {
  return { name: '', port, protocol: 'tcp', hostPort: null, hostIp: null, listens: true, ...more };
}

export function pod(name: string, address: string, more: Partial<Pod> = {}): Pod {
  return {
    namespace: 'default',
    name,
    node: 'node-1',
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

export function servicePort(port: number, more: Partial<ServicePort> = {}): ServicePort {
  return { name: '', protocol: 'tcp', port, targetPort: port, nodePort: 0, ...more };
}

export function service(name: string, clusterIp: string, ports: readonly ServicePort[], more: Partial<Service> = {}): Service {
  return {
    namespace: 'default',
    name,
    type: 'ClusterIP',
    clusterIps: clusterIp === '' ? [] : [ip(clusterIp)],
    headless: clusterIp === '',
    ipFamilies: [4],
    ports,
    selector: null,
    externalIps: [],
    loadBalancerIngress: [],
    loadBalancerSourceRanges: [],
    loadBalancerClass: null,
    allocateLoadBalancerNodePorts: true,
    externalTrafficPolicy: 'Cluster',
    internalTrafficPolicy: 'Cluster',
    sessionAffinity: { kind: 'None' },
    healthCheckNodePort: 0,
    publishNotReadyAddresses: false,
    trafficDistribution: null,
    externalName: null,
    annotations: {},
    labels: {},
    position: null,
    ...more,
  };
}

/** Two nodes, a client and two web pods, one service, two external hosts; fields may be replaced. */
export function cluster(more: Partial<Cluster> = {}): Cluster {
  return {
    name: 'test',
    kubernetesVersion: { major: 1, minor: 30 },
    podCidrs: [cidr('10.244.0.0/16')],
    serviceCidrs: [cidr('10.96.0.0/12')],
    dnsDomain: 'cluster.local',
    cni: {
      plugin: 'flannel',
      backend: 'vxlan',
      vni: 1,
      port: 8472,
      mtu: null,
      podMtu: null,
      ipMasq: true,
      iptablesForwardRules: true,
      hairpinMode: true,
    },
    kubeProxy: {
      mode: 'iptables',
      clusterCidrs: [cidr('10.244.0.0/16')],
      detectLocalMode: 'ClusterCIDR',
      detectLocal: { bridgeInterface: '', interfaceNamePrefix: '' },
      nodePortAddresses: [],
      iptables: { masqueradeAll: false, masqueradeBit: 14, localhostNodePorts: true },
      ipvs: { scheduler: '', strictArp: false, excludeCidrs: [] },
      nftables: { masqueradeAll: false, masqueradeBit: 14 },
      conntrackTcpBeLiberal: false,
      featureGates: {},
    },
    underlay: { nodeCidr: cidr('192.168.0.0/24'), router: ip('192.168.0.1'), subnets: [], firewall: [], commands: [] },
    nodes: [node('node-1', '192.168.0.11', '10.244.0.0/24'), node('node-2', '192.168.0.12', '10.244.1.0/24')],
    pods: [
      pod('client', '10.244.0.2'),
      pod('web-1', '10.244.0.3', { ports: [containerPort(8080, { name: 'http' })] }),
      pod('web-2', '10.244.1.2', { node: 'node-2', ports: [containerPort(8080), containerPort(9090)] }),
      pod('agent', '192.168.0.12', { node: 'node-2', hostNetwork: true, ports: [containerPort(9100)] }),
    ],
    services: [
      service('web', '10.96.0.20', [servicePort(80, { targetPort: 8080 })]),
      service('dns', '10.96.0.10', [servicePort(53, { name: 'dns', protocol: 'udp' }), servicePort(53, { name: 'dns-tcp' })]),
      service('headless', '', [servicePort(80)]),
      service('far', '', [servicePort(80)], { type: 'ExternalName', headless: false, externalName: 'example.org' }),
    ],
    endpointSlices: [],
    externals: [
      { name: 'laptop', addresses: [ip('203.0.113.9')], ports: [{ port: 443, protocol: 'tcp' }], commands: [], position: null },
    ],
    workloads: [{ kind: 'Deployment', namespace: 'default', name: 'web', pods: ['default/web-1', 'default/web-2'] }],
    ingresses: [],
    ingressClasses: [],
    ingressSettings: { controller: null, upstream: 'service', className: null },
    loadBalancer: null,
    externalDns: [],
    notModelled: [],
    ...more,
  };
}

export function probe(from: string, to: string, more: Partial<Probe> = {}): Probe {
  return {
    from,
    to,
    protocol: null,
    sourcePort: null,
    sourceAddress: null,
    payload: null,
    dontFragment: null,
    ttl: null,
    backend: null,
    via: null,
    ...more,
  };
}

export function request(more: Partial<ConnectionRequest> = {}): ConnectionRequest {
  return {
    host: 'pod/default/client',
    owner: 'pod/default/client',
    protocol: 'tcp',
    destination: ip('10.96.0.20'),
    port: 80,
    sourcePort: 40000,
    sourceAddress: null,
    payload: null,
    dontFragment: null,
    ttl: null,
    noReply: false,
    ...more,
  };
}

export function result(more: Partial<ConnectionResult> = {}): ConnectionResult {
  return {
    verdict: 'connected',
    errno: null,
    server: 'pod/default/web-1',
    answering: null,
    source: { address: ip('10.244.0.2'), port: 40000 },
    local: { address: ip('10.244.0.2'), port: 40000 },
    established: null,
    unknownRules: [],
    losses: [],
    request: [],
    reply: [],
    ack: [],
    data: [],
    rulesLookedAt: 0,
    work: 1,
    givenUp: false,
    ...more,
  };
}

/** A world without hosts: enough where a fake engine walks. */
export const emptyWorld: World = { host: () => undefined, hostNames: () => [], holders: () => [], coldNeighbours: false };
