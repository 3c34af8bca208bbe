import { ipv4 } from '../../src/net/ip.ts';
import type { ProxyEndpoint } from '../../src/kubernetes/services/endpoints.ts';
import type { EndpointPolicy } from '../../src/kubernetes/services/select-endpoints.ts';
import type { ProxyServicePort } from '../../src/kubernetes/services/service-port.ts';
import type { Service } from '../../src/kubernetes/model/cluster.ts';

const SERVICE: Service = {
  namespace: 'default',
  name: 'web',
  type: 'ClusterIP',
  clusterIps: [ipv4(0x0a600014)],
  headless: false,
  ipFamilies: [4],
  ports: [],
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
};

export function aService(changes: Partial<Service> = {}): Service {
  return { ...SERVICE, ...changes };
}

/** A TCP port 80 of default/web that follows the Cluster policy. */
export function aServicePort(changes: Partial<ProxyServicePort> = {}): ProxyServicePort {
  return {
    service: aService(),
    family: 4,
    name: 'default/web',
    portName: '',
    protocol: 'tcp',
    port: 80,
    clusterIp: ipv4(0x0a600014),
    externalIps: [],
    loadBalancerIps: [],
    sourceRanges: [],
    nodePort: 0,
    healthCheckNodePort: 0,
    affinitySeconds: null,
    internalLocal: false,
    externalLocal: false,
    hasExternal: false,
    usesCluster: true,
    usesLocal: false,
    ...changes,
  };
}

/** A ready endpoint of port 8080; `text` is its address. */
export function anEndpoint(text: string, changes: Partial<ProxyEndpoint> = {}): ProxyEndpoint {
  return {
    text: `${text}:8080`,
    address: ipv4(0),
    ip: text,
    port: 8080,
    ready: true,
    serving: true,
    terminating: false,
    nodeName: null,
    hintZones: [],
    hintNodes: [],
    ...changes,
  };
}

/** Node "here" in zone "a", Kubernetes 1.30. */
export function aPolicy(changes: Partial<EndpointPolicy> = {}): EndpointPolicy {
  return { nodeName: 'here', zone: 'a', zoneHints: 'annotated', nodeHints: false, ...changes };
}
