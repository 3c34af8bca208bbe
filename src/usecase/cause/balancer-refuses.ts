import { formatIp } from '../../net/ip.ts';
import { droppingRule } from './dropped-by-rule.ts';
import { causeAt, placeOf } from './evidence.ts';
import { addPort, patch, serviceOfRule } from './service-refuses.ts';
import { serviceOfAddress } from '../refs/service.ts';
import type { Service } from '../../kubernetes/model/cluster.ts';
import type { RuleEvent } from '../../trace/event.ts';
import type { Cause } from '../../trace/outcome.ts';
import type { HealthCheck } from '../balancer/health-check.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';

/** What the cloud's balancer does not pass on: no node is healthy, there is no node port, or it is for none of the service's ports. */
export const balancerRefuses: Diagnose = (evidence, site) => {
  if (!site.host.startsWith('balancer/') || site.part !== 'request') return null;
  const dropped = droppingRule(site);
  if (dropped === null) return site.drop?.reason === 'NO_SOCKET' ? noSuchPort(evidence, site, site.index) : null;
  const { event, index } = dropped;
  if (event.kind !== 'rule') return null;
  const service = serviceOfRule(evidence.cluster, event);
  if (service === null) return null;
  switch (event.origin?.role) {
    case 'no-healthy-node':
      return noHealthyNode(evidence, site, service, event, index);
    case 'no-node-port': {
      const text = `the cloud's balancer sends to node ports, and ${nameOf(service)} has none (allocateLoadBalancerNodePorts: false): only a balancer that delivers to nodes directly can do without (${placeOf(event)})`;
      return causeAt(site, 'no-node-port', text, [patch(service, { allocateLoadBalancerNodePorts: true })], index);
    }
    case 'not-balanced':
      return noSuchPort(evidence, site, index);
    default:
      return null;
  }
};

function noSuchPort({ cluster, request }: Evidence, site: Site, index: number): Cause | null {
  const service = serviceOfAddress(cluster, request.destination);
  if (service === null) return null;
  if (request.protocol === 'icmp') {
    const text = `${formatIp(request.destination)} is the address of a balancer that delivers nothing but the ports of ${nameOf(service)}: a ping is for none of them, as designed`;
    return causeAt(site, 'clusterip-not-pingable', text, null, index);
  }
  if (service.ports.some(({ port, protocol }) => port === request.port && protocol === request.protocol)) return null;
  const ports = service.ports.map((p) => `${p.port}/${p.protocol}`).join(', ');
  const text = `${nameOf(service)} has no port ${request.port}/${request.protocol}; it has ${ports}, and its balancer listens for nothing else`;
  return causeAt(site, 'port-not-in-service', text, addPort(request, service), index);
}

/** Nodes that a sentence names. */
const NAMED = 4;

function noHealthyNode(evidence: Evidence, site: Site, service: Service, rule: RuleEvent, index: number): Cause {
  const checks = evidence.health?.checksOf(site.host) ?? [];
  const named = checks.slice(0, NAMED).map(({ node, answer, cause, made }) => {
    if (answer !== null) return `${node} answers ${answer}`;
    const why = cause === null ? made.result.verdict : cause.text;
    return `${node} does not answer: ${why}`;
  });
  const more = checks.length > NAMED ? ` (and ${checks.length - NAMED} more)` : '';
  const detail = checks.length === 0 ? 'the cluster has no node that it could use' : `${named.join('; ')}${more}`;
  const text = `no node passes the health check of ${nameOf(service)}, so its balancer has nowhere to send the connection (${placeOf(rule)}): ${detail}`;
  return causeAt(site, 'no-healthy-node', text, remedyOf(service, checks), index);
}

/** Where nodes don't answer what keeps them from it; where they say that they have no endpoint, either more endpoints or another policy. */
function remedyOf(service: Service, checks: readonly HealthCheck[]): readonly string[] | null {
  const silent = checks.flatMap(({ cause }) => cause?.remedy ?? []);
  if (silent.length > 0) return [...new Set(silent)].slice(0, NAMED);
  if (checks.length === 0 || checks.some(({ answer }) => answer === null)) return null;
  return [`kubectl -n ${service.namespace} get endpointslices -l kubernetes.io/service-name=${service.name}  # none is ready`];
}

function nameOf({ namespace, name }: Service): string {
  return `Service ${namespace}/${name}`;
}
