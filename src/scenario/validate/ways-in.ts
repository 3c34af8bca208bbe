import type { Cluster } from '../../kubernetes/model/cluster.ts';
import { cidrsOverlap, formatCidr } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import type { Drafts, ServiceDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

/** Fields of services that only some types have, external names, and the balancer's addresses. */
export function validateWaysIn(cluster: Cluster, drafts: Drafts, problems: Problems): void {
  for (const draft of drafts.services) {
    if (draft.complete !== true) validateTypeFields(draft, problems);
    if (draft.type === 'ExternalName') validateExternalName(draft, problems);
  }
  validatePublicCidrs(cluster, drafts, problems);
}

/** The API server refuses these (ValidateService). */
function validateTypeFields(draft: ServiceDraft, problems: Problems): void {
  const { type = 'ClusterIP', loadBalancerClass, allocateLoadBalancerNodePorts, healthCheckNodePort = 0 } = draft;
  const what = `Service ${draft.namespace}/${draft.name}`;
  const refuse = (key: string, of: string, hint: string): void => {
    problems.error('wrong-key', `${what} has "${key}", which only ${of} may have`, draft.position, hint);
  };
  const isBalanced = type === 'LoadBalancer';
  if (!isBalanced && loadBalancerClass !== undefined) refuse('loadBalancerClass', 'type LoadBalancer', 'Give type: LoadBalancer');
  if (!isBalanced && allocateLoadBalancerNodePorts !== undefined) {
    refuse('allocateLoadBalancerNodePorts', 'type LoadBalancer', 'Give type: LoadBalancer');
  }
  if (healthCheckNodePort !== 0 && !(isBalanced && draft.externalTrafficPolicy === 'Local')) {
    const of = 'type LoadBalancer with externalTrafficPolicy Local';
    refuse('healthCheckNodePort', of, 'Give externalTrafficPolicy: Local');
  }
}

const DNS_NAME = /^[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?(\.[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?)*\.?$/i;

function validateExternalName({ namespace, name, externalName, position }: ServiceDraft, problems: Problems): void {
  if (externalName === undefined) return;
  const what = `externalName "${externalName}" of service ${namespace}/${name}`;
  if (parseIp(externalName) !== null) {
    const hint = 'Use a service without selector and an EndpointSlice with the address';
    problems.warning('wrong-value', `${what} is an address: cluster DNS has no answer then`, position, hint);
  } else if (!DNS_NAME.test(externalName)) {
    problems.error('wrong-value', `${what} is no host name`, position);
  }
}

/** Packets for an address of the cluster's own ranges never get to a balancer. */
function validatePublicCidrs(cluster: Cluster, { loadBalancer }: Drafts, problems: Problems): void {
  const ranges = [
    ...cluster.podCidrs.map((cidr) => ({ of: 'pods', cidr })),
    ...cluster.serviceCidrs.map((cidr) => ({ of: 'services', cidr })),
    { of: 'nodes', cidr: cluster.underlay.nodeCidr },
  ];
  for (const own of loadBalancer?.publicCidrs ?? []) {
    const other = ranges.find(({ cidr }) => cidrsOverlap(own, cidr));
    if (other === undefined) continue;
    const message = `publicCIDR ${formatCidr(own)} of "loadBalancer" overlaps the range of the ${other.of}, ${formatCidr(other.cidr)}`;
    problems.warning('overlapping-ranges', message, loadBalancer?.position ?? null);
  }
}
