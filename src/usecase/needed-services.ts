import { cidrContains, cidrLast, isIpv4Cidr } from '../net/cidr.ts';
import { addToIp, familyOf, formatIp } from '../net/ip.ts';
import { API_SERVICE, apiServerNode, apiServerPod } from '../kubernetes/model/api-server.ts';
import { deriveEndpointSlices } from '../kubernetes/model/endpoint-slices.ts';
import { KUBELET_PORT } from './journey/kubectl.ts';
import { parseUrl } from './journey/http.ts';
import { resolvConfOf } from './journey/resolver.ts';
import { parseRef } from './refs/parse.ts';
import { serviceOfAddress } from './refs/service.ts';
import { resolveSource } from './refs/source.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { IpAddress } from '../net/ip.ts';
import type { Ref } from './refs/ref.ts';
import type { Probe } from '../kubernetes/model/check.ts';
import type { Cluster, EndpointSlice, Node, Pod, Service, ServicePort } from '../kubernetes/model/cluster.ts';

const DNS_SERVICE = 'kube-system/kube-dns';
const DNS_LABELS = { 'k8s-app': 'kube-dns' };
const API_PORT = 6443;
/** What is added where connections go through the API server. */
const KUBELETS = 'kubelets';
/** Their addresses are an agreement: the first and the tenth of the service range. */
const OFFSETS = { [API_SERVICE]: 1, [DNS_SERVICE]: 10 } as const;

/** A cluster with the services that every real one has, and what was assumed of them. */
export interface CompletedCluster {
  readonly cluster: Cluster;
  readonly assumptions: readonly string[];
  /** Names of what was added: the same ones to one cluster make the same cluster. */
  readonly added: readonly string[];
}

/**
 * Adds the `kubernetes` and `kube-dns` services where a connection is made to them and the input gives none: they exist only for
 * who asks for them. The API server is on the first control-plane node, the DNS server is what pods bear its label, else an assumed one.
 */
export function withNeededServices(cluster: Cluster, probes: readonly Probe[], namespace: string): CompletedCluster {
  let completed: CompletedCluster = { cluster, assumptions: [], added: [] };
  for (const probe of probes) {
    for (const name of neededServices(completed.cluster, probe, namespace)) {
      const next = name === API_SERVICE ? withApiServer(completed.cluster) : withDns(completed.cluster);
      if (next === null) continue;
      const assumptions = [...completed.assumptions, ...next.assumptions];
      completed = { cluster: next.cluster, assumptions, added: [...completed.added, name] };
    }
    if (probe.via !== null && !completed.added.includes(KUBELETS))
      completed = { ...completed, cluster: withKubelets(completed.cluster), added: [...completed.added, KUBELETS] };
  }
  return completed;
}

/** A scenario whose cluster, after every step too, has the services that its connections need. */
export function completeScenario(scenario: Scenario, probes: readonly Probe[], namespace: string): Scenario {
  const { cluster, assumptions } = withNeededServices(scenario.cluster, probes, namespace);
  const steps = scenario.steps.map((step) => ({ ...step, cluster: withNeededServices(step.cluster, probes, namespace).cluster }));
  return { ...scenario, cluster, steps, assumptions: [...scenario.assumptions, ...assumptions] };
}

type Needed = keyof typeof OFFSETS;

type Addition = Omit<CompletedCluster, 'added'>;

/** Those of the two that a connection needs and the cluster does not have. */
function neededServices(cluster: Cluster, probe: Probe, namespace: string): readonly Needed[] {
  const parsed = parseRef(probe.to);
  if (!parsed.ok) return [];
  const asked = [...referred(cluster, parsed.value, namespace), ...(probe.via === null ? [] : ([API_SERVICE] as const))];
  const names = asksClusterDns(cluster, probe, parsed.value, namespace) ? ([...asked, DNS_SERVICE] as const) : asked;
  return names.filter((name) => !hasService(cluster, name));
}

/** Which of the two a reference means. */
function referred(cluster: Cluster, ref: Ref, namespace: string): readonly Needed[] {
  const names = [API_SERVICE, DNS_SERVICE] as const;
  if (ref.form === 'dns' || ref.form === 'url') return meansApiServer(cluster, ref) ? [API_SERVICE] : [];
  if (ref.form === 'object' && ref.kind === 'svc') {
    const wanted = `${ref.namespace ?? namespace}/${ref.name}`;
    return names.filter((name) => name === wanted);
  }
  if (ref.form !== 'address' || serviceOfAddress(cluster, ref.address) !== null) return [];
  return names.filter((name) => addressOf(cluster, name) === ref.address);
}

/** `kubernetes`, below its namespace or not, is a name that every cluster has. */
function meansApiServer({ dnsDomain }: Cluster, ref: Extract<Ref, { form: 'dns' | 'url' }>): boolean {
  const name = ref.form === 'dns' ? ref.name : (parseUrl(ref.url)?.host ?? '');
  const full = `kubernetes.default.svc.${dnsDomain}`;
  const asked = name.toLowerCase().replace(/\.$/, '');
  return asked.startsWith('kubernetes') && (full === asked || full.startsWith(`${asked}.`));
}

/** Who asks for a name, and has the cluster's DNS among its name servers. */
function asksClusterDns(cluster: Cluster, { from }: Probe, ref: Ref, namespace: string): boolean {
  if (ref.form !== 'dns' && ref.form !== 'url' && !isAddressless(cluster, ref, namespace)) return false;
  const source = resolveSource(cluster, from, namespace);
  const address = addressOf(cluster, DNS_SERVICE);
  return source.ok && address !== null && resolvConfOf(cluster, source.value).nameservers.includes(address);
}

function isAddressless(cluster: Cluster, ref: Ref, namespace: string): boolean {
  if (ref.form !== 'object' || ref.kind !== 'svc') return false;
  const service = cluster.services.find((each) => each.name === ref.name && each.namespace === (ref.namespace ?? namespace));
  return service !== undefined && (service.clusterIps.length === 0 || service.type === 'ExternalName');
}

/** Every node's kubelet listens. */
function withKubelets(cluster: Cluster): Cluster {
  const port: Pod['assumedPorts'][number] = { protocol: 'tcp', port: KUBELET_PORT, service: 'the API server' };
  const listens = ({ assumedPorts = [] }: Node): boolean => assumedPorts.some((p) => p.port === KUBELET_PORT);
  return {
    ...cluster,
    nodes: cluster.nodes.map((node) => (listens(node) ? node : { ...node, assumedPorts: [...(node.assumedPorts ?? []), port] })),
  };
}

function hasService(cluster: Cluster, name: string): boolean {
  return cluster.services.some((service) => `${service.namespace}/${service.name}` === name);
}

function addressOf(cluster: Cluster, name: keyof typeof OFFSETS): IpAddress | null {
  const [range] = cluster.serviceCidrs;
  if (range === undefined) return null;
  const address = addToIp(range.address, OFFSETS[name]);
  return cidrContains(range, address) ? address : null;
}

function withApiServer(cluster: Cluster): Addition | null {
  const clusterIp = addressOf(cluster, API_SERVICE);
  const node = apiServerNode(cluster.nodes);
  const address = node?.addresses.find((own) => clusterIp !== null && familyOf(own) === familyOf(clusterIp));
  if (clusterIp === null || node === undefined || address === undefined) return null;
  const service = serviceOf(API_SERVICE, clusterIp, [
    { name: 'https', protocol: 'tcp', port: 443, targetPort: API_PORT, nodePort: 0 },
  ]);
  const pod = apiServerPod(cluster.pods.filter((p) => p.hostNetwork && p.node === node.name));
  const slice: EndpointSlice = {
    namespace: 'default',
    name: 'kubernetes',
    service: 'kubernetes',
    addressType: familyOf(address) === 4 ? 'IPv4' : 'IPv6',
    ports: [{ name: 'https', protocol: 'tcp', port: API_PORT }],
    endpoints: [
      {
        addresses: [formatIp(address)],
        ready: true,
        serving: true,
        terminating: false,
        nodeName: null,
        pod: null,
        hintZones: [],
        hintNodes: [],
      },
    ],
    derived: true,
  };
  const assumedPort: Pod['assumedPorts'][number] = { protocol: 'tcp', port: API_PORT, service: API_SERVICE };
  const listens = pod?.ports.some((p) => p.listens && p.protocol === 'tcp' && p.port === API_PORT) ?? false;
  const onNode = (n: Node): Node => (n === node ? { ...n, assumedPorts: [...(n.assumedPorts ?? []), assumedPort] } : n);
  const onPod = (p: Pod): Pod => (p === pod ? { ...p, assumedPorts: [...p.assumedPorts, assumedPort] } : p);
  return {
    cluster: {
      ...cluster,
      services: [...cluster.services, service],
      endpointSlices: [...cluster.endpointSlices, slice],
      nodes: listens || pod !== undefined ? cluster.nodes : cluster.nodes.map(onNode),
      pods: listens || pod === undefined ? cluster.pods : cluster.pods.map(onPod),
    },
    assumptions: [
      `service ${API_SERVICE} is not given: it is taken to be ${formatIp(clusterIp)}:443, the API server at ${formatIp(address)}:${API_PORT} (node/${node.name})`,
    ],
  };
}

function withDns(cluster: Cluster): Addition | null {
  const clusterIp = addressOf(cluster, DNS_SERVICE);
  if (clusterIp === null) return null;
  const ports: readonly ServicePort[] = [
    { name: 'dns', protocol: 'udp', port: 53, targetPort: 53, nodePort: 0 },
    { name: 'dns-tcp', protocol: 'tcp', port: 53, targetPort: 53, nodePort: 0 },
  ];
  const service = { ...serviceOf(DNS_SERVICE, clusterIp, ports), selector: DNS_LABELS };
  const given = cluster.pods.filter((pod) => pod.namespace === 'kube-system' && pod.labels['k8s-app'] === 'kube-dns');
  const made = given.length > 0 ? null : dnsPod(cluster, clusterIp);
  if (given.length === 0 && made === null) return null;
  const pods = made === null ? cluster.pods.map((pod) => (given.includes(pod) ? listening(pod) : pod)) : [...cluster.pods, made];
  const { kubernetesVersion, nodes } = cluster;
  const slices = deriveEndpointSlices({ kubernetesVersion, nodes, pods, services: [service] }, new Set());
  const servers =
    made === null ? 'the pods labelled k8s-app=kube-dns' : `an assumed pod/kube-system/${made.name} on node/${made.node}`;
  return {
    cluster: {
      ...cluster,
      services: [...cluster.services, service],
      endpointSlices: [...cluster.endpointSlices, ...slices],
      pods,
    },
    assumptions: [`service ${DNS_SERVICE} is not given: it is taken to be ${formatIp(clusterIp)}:53, served by ${servers}`],
  };
}

/** A pod that declares no port is taken to listen where services point. */
function listening(pod: Pod): Pod {
  if (pod.ports.length > 0) return pod;
  const dns = (['udp', 'tcp'] as const).map((protocol) => ({ protocol, port: 53, service: DNS_SERVICE }));
  return { ...pod, assumedPorts: [...pod.assumedPorts, ...dns] };
}

/** A DNS server on the first node, at the last free address of its range: the first ones are those that pods get next. */
function dnsPod(cluster: Cluster, clusterIp: IpAddress): Pod | null {
  const node = cluster.nodes.find(({ podCidrs }) => podCidrs.some((range) => familyOf(range.address) === familyOf(clusterIp)));
  const range = node?.podCidrs.find(({ address }) => familyOf(address) === familyOf(clusterIp));
  if (node === undefined || range === undefined) return null;
  const held = new Set(cluster.pods.flatMap((pod) => pod.addresses));
  let address = addToIp(cidrLast(range), isIpv4Cidr(range) ? -1 : 0);
  while (held.has(address)) address = addToIp(address, -1);
  if (!cidrContains(range, address)) return null;
  return {
    namespace: 'kube-system',
    name: 'coredns',
    node: node.name,
    addresses: [address],
    labels: DNS_LABELS,
    hostNetwork: false,
    ready: true,
    serving: true,
    terminating: false,
    ports: (['udp', 'tcp'] as const).map((protocol) => ({
      name: protocol === 'udp' ? 'dns' : 'dns-tcp',
      port: 53,
      protocol,
      hostPort: null,
      hostIp: null,
      listens: true,
    })),
    assumedPorts: [],
    mtu: null,
    hairpinMode: null,
    owner: null,
    commands: [],
    position: null,
  };
}

/** A service as the API server makes it, with nothing said. */
function serviceOf(fullName: string, clusterIp: IpAddress, ports: readonly ServicePort[]): Service {
  const [namespace = '', name = ''] = fullName.split('/');
  return {
    namespace,
    name,
    type: 'ClusterIP',
    clusterIps: [clusterIp],
    headless: false,
    ipFamilies: [familyOf(clusterIp)],
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
  };
}
