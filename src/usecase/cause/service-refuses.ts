import { cidrContains, formatCidr } from '../../net/cidr.ts';
import { formatIp, parseIp } from '../../net/ip.ts';
import { nearest } from '../../support/nearest.ts';
import type { Cluster, Pod, Service } from '../../kubernetes/model/cluster.ts';
import type { RuleEvent } from '../../trace/event.ts';
import type { Cause } from '../../trace/outcome.ts';
import { causeAt, placeOf, packetAt } from './evidence.ts';
import { serviceOfAddress } from '../refs/service.ts';
import { findServiceNamed } from '../../kubernetes/services/find-service.ts';
import type { ConnectionRequest } from '../../kernel/walk/connection.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';

/** no-endpoints: kube-proxy refuses what goes to a service that has none, and why it has none. */
export function noEndpoints({ cluster }: Evidence, site: Site, rule: RuleEvent, index: number): Cause {
  const service = serviceOfRule(cluster, rule);
  const name = service ? `Service ${service.namespace}/${service.name}` : 'the service';
  const why = service ? whyEmpty(cluster, service) : { text: 'it has none', remedy: null };
  const text = `${name} has no ready endpoint, so ${rule.host} refuses it (${placeOf(rule)}): ${why.text}`;
  return causeAt(site, 'no-endpoints', text, why.remedy, index);
}

/** no-endpoints in IPVS mode: the virtual server is there and has no real server (ip_vs_leave). */
export const noRealServers: Diagnose = ({ cluster }, site) => {
  const { drop } = site;
  if (drop?.where !== 'ip_vs_leave') return null;
  const service = serviceOfObject(cluster, drop.origin?.object ?? null);
  const server = drop.detail?.virtualServer ?? 'it';
  if (!service)
    return causeAt(site, 'no-endpoints', `virtual server ${server} of ${drop.host} has no real server, so IPVS refuses`, null);
  if (drop.origin?.role === 'cluster-ip' && service.internalTrafficPolicy === 'Local' && hasReadyEndpoint(cluster, service)) {
    const text = `Service ${service.namespace}/${service.name} has internalTrafficPolicy Local and no endpoint on ${drop.host}, so virtual server ${server} has no real server and IPVS refuses`;
    return causeAt(site, 'no-local-endpoints', text, [patch(service, { internalTrafficPolicy: 'Cluster' })]);
  }
  const why = whyEmpty(cluster, service);
  const text = `Service ${service.namespace}/${service.name} has no ready endpoint, so virtual server ${server} of ${drop.host} has no real server and IPVS refuses: ${why.text}`;
  return causeAt(site, 'no-endpoints', text, why.remedy);
};

/** port-not-in-service, clusterip-not-pingable in IPVS mode: KUBE-IPVS-FILTER guards the addresses of kube-ipvs0. */
export function unknownPort({ cluster, request }: Evidence, site: Site, rule: RuleEvent, index: number): Cause {
  const address = formatIp(request.destination);
  const service = serviceOfAddress(cluster, request.destination);
  const name = service ? `Service ${service.namespace}/${service.name}` : 'a service';
  if (request.protocol === 'icmp') {
    const text = `${address} of ${name} is an address of ${rule.host} (kube-ipvs0), but kube-proxy refuses whatever is for none of the service's ports, a ping too, as designed since 1.26 (${placeOf(rule)})`;
    return causeAt(site, 'clusterip-not-pingable', text, null, index);
  }
  const ports = service?.ports.map((p) => `${p.port}/${p.protocol}`).join(', ') ?? '';
  const text = `${name} has no port ${request.port}/${request.protocol}; it has ${ports}, and kube-proxy refuses the rest (${placeOf(rule)})`;
  return causeAt(site, 'port-not-in-service', text, service && addPort(request, service), index);
}

/** no-local-endpoints: a traffic policy of Local, and no endpoint on the node. */
export function noLocalEndpoints({ cluster }: Evidence, site: Site, rule: RuleEvent, index: number): Cause {
  const service = serviceOfRule(cluster, rule);
  const field = rule.chain === 'KUBE-SERVICES' ? 'internalTrafficPolicy' : 'externalTrafficPolicy';
  const name = service ? `Service ${service.namespace}/${service.name}` : 'the service';
  const text = `${name} has ${field} Local and no endpoint on ${rule.host}, which drops it (${placeOf(rule)})`;
  const remedy = service ? [patch(service, { [field]: 'Cluster' })] : null;
  return causeAt(site, 'no-local-endpoints', text, remedy, index);
}

/** source-range: the client is not in spec.loadBalancerSourceRanges. */
export function sourceRange({ cluster, request }: Evidence, site: Site, rule: RuleEvent, index: number): Cause {
  const service = serviceOfRule(cluster, rule) ?? serviceOfAddress(cluster, request.destination);
  const client = packetAt(site)?.src ?? 'the client';
  const address = parseIp(client);
  const allowed = service?.loadBalancerSourceRanges.some((range) => address !== null && cidrContains(range, address)) ?? false;
  if (allowed && service && cluster.kubeProxy.mode === 'ipvs') return rangeOfAll(site, rule, index, service);
  if (allowed) return allowedButUntranslated(site, rule, index, service, client);
  const ranges = service?.loadBalancerSourceRanges.map((range) => `${formatIp(range.address)}/${range.length}`) ?? [];
  const name = service ? `Service ${service.namespace}/${service.name}` : 'the service';
  const text = `${name} lets only ${ranges.join(', ')} use its load balancer address, and ${client} is not in it (${placeOf(rule)})`;
  const pods = cluster.podCidrs.find((range) => address !== null && cidrContains(range, address));
  const wanted = pods ? formatCidr(pods) : client.includes(':') ? `${client}/128` : `${client}/32`;
  const remedy = service ? [patch(service, { loadBalancerSourceRanges: [...ranges, wanted] })] : null;
  return causeAt(site, 'source-range', text, remedy, index);
}

/** 0.0.0.0/0 under IPVS: ipset refuses a prefix of length 0, and the set stays without it. */
function rangeOfAll(site: Site, rule: RuleEvent, index: number, service: Service): Cause {
  const text = `Service ${service.namespace}/${service.name} lets everybody use its load balancer address, but the ipset that kube-proxy keeps the ranges in can't hold 0.0.0.0/0, so nobody is let in (${placeOf(rule)})`;
  const remedy = [patch(service, { loadBalancerSourceRanges: ['0.0.0.0/1', '128.0.0.0/1'] })];
  return causeAt(site, 'source-range', text, remedy, index);
}

/**
 * kube-proxy drops whatever comes to a restricted load balancer address and was not translated. For a client that the ranges allow
 * that means: the node has no endpoint that the external traffic policy lets it use.
 */
function allowedButUntranslated(site: Site, rule: RuleEvent, index: number, service: Service | null, client: string): Cause {
  const name = service ? `Service ${service.namespace}/${service.name}` : 'the service';
  if (service?.externalTrafficPolicy === 'Local') {
    const text = `${name} has externalTrafficPolicy Local and no endpoint on ${rule.host}, which drops what it can't pass on (${placeOf(rule)})`;
    return causeAt(site, 'no-local-endpoints', text, [patch(service, { externalTrafficPolicy: 'Cluster' })], index);
  }
  const text = `${name} allows ${client}, but ${rule.host} did not translate its packet and drops it at the end of the source ranges (${placeOf(rule)})`;
  return causeAt(site, 'rule-drop', text, null, index);
}

/** The service behind one of kube-proxy's rules: its origin says it, in a dump its comment. */
export function serviceOfRule(cluster: Cluster, rule: RuleEvent): Service | null {
  const object =
    /^Service ([^/]+)\/([^: ]+)/.exec(rule.origin?.object ?? '') ?? /--comment "([a-z0-9-]+)\/([a-z0-9-]+)[: "]/.exec(rule.text);
  const [, namespace = '', name = ''] = object ?? [];
  return findServiceNamed(cluster, namespace, name) ?? null;
}

function serviceOfObject(cluster: Cluster, object: string | null): Service | null {
  return cluster.services.find((s) => `Service ${s.namespace}/${s.name}` === object) ?? null;
}

/** A further port that leads where the service's first one of the protocol does. */
export function addPort({ protocol, port }: ConnectionRequest, service: Service): readonly string[] | null {
  const model = service.ports.find((p) => p.protocol === protocol);
  if (!model) return null;
  const old = service.ports.map((p, i) => ({
    name: p.name === '' ? `port-${i + 1}` : p.name,
    port: p.port,
    protocol: p.protocol.toUpperCase(),
    targetPort: p.targetPort,
  }));
  const added = { name: `port-${old.length + 1}`, port, protocol: model.protocol.toUpperCase(), targetPort: model.targetPort };
  return [patch(service, { ports: [...old, added] })];
}

/** The command that changes fields of a service's spec. */
export function patch(service: Service, spec: object): string {
  return `kubectl -n ${service.namespace} patch service ${service.name} --type merge -p '${JSON.stringify({ spec })}'`;
}

export function hasReadyEndpoint(cluster: Cluster, service: Service): boolean {
  const slices = cluster.endpointSlices.filter((s) => s.namespace === service.namespace && s.service === service.name);
  return slices.some(({ endpoints }) => endpoints.some(({ ready }) => ready));
}

/** Why a service has no ready endpoints, and what would give it some. */
export function whyEmpty(
  cluster: Cluster,
  service: Service,
): { readonly text: string; readonly remedy: readonly string[] | null } {
  const slices = cluster.endpointSlices.filter((s) => s.namespace === service.namespace && s.service === service.name);
  if (slices.some((slice) => !slice.derived && slice.endpoints.length > 0)) {
    return { text: 'none of the endpoints in its slices is ready', remedy: null };
  }
  if (service.selector === null) return { text: 'it has no selector, and no EndpointSlice gives it one', remedy: null };
  const selector = Object.entries(service.selector);
  const asText = selector.map(([key, value]) => `${key}=${value}`).join(',');
  const inNamespace = cluster.pods.filter((pod) => pod.namespace === service.namespace);
  const selected = inNamespace.filter((pod) => matches(pod, selector));
  if (selected.length === 0) {
    const elsewhere = cluster.pods.find((pod) => matches(pod, selector));
    if (elsewhere) return { text: `its selector ${asText} matches pods only in namespace ${elsewhere.namespace}`, remedy: null };
    return { text: `its selector ${asText} matches no pod`, remedy: nearestSelector(service, selector, inNamespace) };
  }
  const unready = selected.filter((pod) => !pod.ready || pod.terminating).map((pod) => `pod/${pod.name}`);
  if (unready.length === selected.length) {
    const what = unready.length === 1 ? 'matches' : 'match';
    const but = unready.length === 1 ? 'is not ready' : 'none is ready';
    const look = unready.map((pod) => `kubectl -n ${service.namespace} describe ${pod}  # why its readiness probe fails`);
    return { text: `${unready.join(', ')} ${what} its selector ${asText}, but ${but}`, remedy: look };
  }
  return noSuchPortName(service, selected, asText);
}

/** A targetPort that is a name which no selected pod bears. */
function noSuchPortName(
  service: Service,
  selected: readonly Pod[],
  selector: string,
): { readonly text: string; readonly remedy: readonly string[] | null } {
  const index = service.ports.findIndex(({ targetPort }) => typeof targetPort === 'string');
  const port = service.ports[index];
  const offered = selected.flatMap((pod) => pod.ports.filter((p) => p.name !== '' && p.protocol === port?.protocol));
  const names = [...new Set(offered.map((p) => p.name))];
  const instead = names.length > 0 ? `; they call theirs ${names.join(', ')}` : '';
  const text = `no pod that its selector ${selector} matches has a port named ${String(port?.targetPort)}${instead}`;
  if (names.length !== 1) return { text, remedy: null };
  const change = [{ op: 'replace', path: `/spec/ports/${index}/targetPort`, value: names[0] }];
  return {
    text,
    remedy: [`kubectl -n ${service.namespace} patch service ${service.name} --type json -p '${JSON.stringify(change)}'`],
  };
}

function matches(pod: Pod, selector: readonly (readonly [string, string])[]): boolean {
  return selector.every(([key, value]) => pod.labels[key] === value);
}

/** What ends the mismatch: the selector, where it looks like a slip of the pen, else the pods' labels. */
function nearestSelector(
  service: Service,
  selector: readonly (readonly [string, string])[],
  pods: readonly Pod[],
): readonly string[] | null {
  const wanted = new Set(service.ports.map((port) => port.targetPort));
  const candidates = pods.filter((pod) => selector.every(([key, value]) => isNear(value, pod.labels[key])));
  const best =
    candidates.find((pod) => pod.ports.some((port) => wanted.has(port.port) || wanted.has(port.name))) ?? candidates[0];
  if (best) return [patch(service, { selector: Object.fromEntries(selector.map(([key]) => [key, best.labels[key]])) })];
  const labels = selector.map(([key, value]) => `${key}=${value}`).join(' ');
  return [
    `kubectl -n ${service.namespace} label pod POD ${labels}  # the pods that are meant, better in the template of their workload`,
  ];
}

/** Two values of a label of which one may be the other misspelt, perhaps without what stands behind it ("web", "web-1"). */
function isNear(wanted: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  if (value === wanted || nearest(wanted, [value]) !== null) return true;
  const length = Math.min(wanted.length, value.length);
  const [start, other] = [wanted.slice(0, length), value.slice(0, length)];
  return length > 2 && (start === other || nearest(start, [other]) !== null);
}
