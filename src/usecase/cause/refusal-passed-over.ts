import { causeAt, describeRule } from './evidence.ts';
import { hasReadyEndpoint, patch, whyEmpty } from './service-refuses.ts';
import type { Service } from '../../kubernetes/model/cluster.ts';
import type { Cause } from '../../trace/outcome.ts';
import type { RuleEvent } from '../../trace/event.ts';
import type { Evidence, Site } from './evidence.ts';

/**
 * no-endpoints, no-local-endpoints: there is nobody whom the service could send to, but a rule of somebody else accepts the packet in
 * FORWARD in front of kube-proxy's that would refuse it (Weave Net's come first), so it leaves for an address that nobody has.
 */
export function refusalPassedOver({ cluster, result }: Evidence, site: Site, service: Service): Cause | null {
  const index = result.request.findLastIndex(
    (event) =>
      event.kind === 'rule' &&
      event.table === 'filter' &&
      event.hook === 'FORWARD' &&
      event.verdict === 'accept' &&
      event.origin?.by !== 'kube-proxy',
  );
  const rule = result.request[index];
  if (site.part !== 'request' || rule?.kind !== 'rule' || cluster.kubeProxy.mode !== 'iptables') return null;
  const name = `Service ${service.namespace}/${service.name}`;
  if (!hasReadyEndpoint(cluster, service)) {
    const why = whyEmpty(cluster, service);
    const text = `${name} has no ready endpoint, and ${passedOver(rule, 'refuse')}: ${why.text}`;
    return causeAt(site, 'no-endpoints', text, why.remedy, index);
  }
  if (service.internalTrafficPolicy !== 'Local') return null;
  const text = `${name} has internalTrafficPolicy Local and no endpoint on ${rule.host}, and ${passedOver(rule, 'drop')}`;
  return causeAt(site, 'no-local-endpoints', text, [patch(service, { internalTrafficPolicy: 'Cluster' })], index);
}

function passedOver(rule: RuleEvent, what: string): string {
  return `${describeRule(rule)}, accepts the packet in front of kube-proxy's rule that would ${what} it, so it leaves for an address that nobody has`;
}
