import { assertNever } from '../../support/assert-never.ts';
import { explanation } from './explanation.ts';
import { kubeProxyRole } from './kube-proxy-role.ts';
import { serviceObject, servicePortName } from './service-index.ts';
import type { ProxyRole } from '../../kubernetes/services/proxy-role.ts';
import type { Explanation } from './explanation.ts';
import type { RuleText } from './rule-text.ts';
import type { ServiceIndex } from './service-index.ts';

/** Explains a rule in a chain of kube-proxy, or a jump to one; null for rules that kube-proxy does not write. */
export function explainKubeProxyRule(table: string, chain: string, rule: RuleText, index: ServiceIndex): Explanation | null {
  if (!chain.startsWith('KUBE-')) {
    const purpose = JUMPS.get(rule.target);
    return purpose === undefined ? null : explanation('kube-proxy', 'jump', purpose);
  }
  const role = kubeProxyRole(table, chain, rule);
  if (role === null) return null;
  const isRelayed = /^KUBE-(?:PORTALS|NODEPORT)-/.test(chain);
  const name = servicePortName(rule.comment) ?? index.owner(chain)?.name ?? index.owner(rule.target)?.name ?? null;
  return explanation(
    'kube-proxy',
    role,
    isRelayed ? userspaceSentence(role, name ?? 'a service', rule) : sentence(role, name ?? 'a service', rule, index),
    name === null ? null : serviceObject(name),
  );
}

const JUMPS: ReadonlyMap<string, string> = new Map([
  ['KUBE-SERVICES', 'kube-proxy looks here whether the packet goes to a service'],
  ['KUBE-EXTERNAL-SERVICES', 'kube-proxy refuses here what goes to an external address of a service without endpoints'],
  ['KUBE-NODEPORTS', 'kube-proxy lets the health checks of load balancers in here'],
  ['KUBE-FORWARD', 'kube-proxy lets forwarded service traffic through here'],
  ['KUBE-PROXY-FIREWALL', 'kube-proxy drops here what a load balancer’s source ranges don’t allow'],
  ['KUBE-NODE-PORT', 'kube-proxy lets the health checks of load balancers in here'],
  ['KUBE-IPVS-FILTER', 'kube-proxy refuses here what goes to an address of a service, but to none of its ports'],
  ['KUBE-IPVS-OUT-FILTER', 'kube-proxy keeps the node itself from load balancers whose source ranges leave it out'],
  ['KUBE-FIREWALL', 'kube-proxy and kubelet guard 127.0.0.0/8 here'],
  ['KUBE-POSTROUTING', 'kube-proxy masquerades marked service traffic here'],
  ['KUBE-PORTALS-CONTAINER', 'kube-proxy looks here whether the packet goes to a service'],
  ['KUBE-PORTALS-HOST', 'kube-proxy looks here whether the node’s own packet goes to a service'],
  ['KUBE-NODEPORT-CONTAINER', 'kube-proxy looks here whether the packet goes to a node port'],
  ['KUBE-NODEPORT-HOST', 'kube-proxy looks here whether the node’s own packet goes to a node port'],
  ['KUBE-NODEPORT-NON-LOCAL', 'kube-proxy lets in here what it has sent from node ports to itself'],
]);

/** In userspace mode a rule leads to kube-proxy itself, whatever the address. */
function userspaceSentence(role: ProxyRole, name: string, rule: RuleText): string {
  const port = rule.option('--to-ports') ?? rule.option('--to-destination')?.split(':').at(-1) ?? rule.option('--dport') ?? '';
  if (role === 'proxy-port') return `lets in what goes to port ${port}, where kube-proxy itself listens for ${name}`;
  const what = role === 'node-port' ? `node port ${rule.option('--dport') ?? ''}` : `port ${rule.option('--dport') ?? ''}`;
  return `${what} of ${name}: to port ${port}, where kube-proxy itself listens for it`;
}

function sentence(role: ProxyRole, name: string, rule: RuleText, index: ServiceIndex): string {
  switch (role) {
    case 'jump':
      return 'leads to a chain of kube-proxy';
    case 'cluster-ip':
      return `the cluster IP of ${name} leads to its endpoints${rule.target.startsWith('KUBE-SVL-') ? ' on this node' : ''}`;
    case 'external-ip':
      return `an external IP of ${name} leads to its endpoints`;
    case 'load-balancer-ip':
      return rule.target.startsWith('KUBE-FW-')
        ? `the load balancer IP of ${name}: first its source ranges are checked`
        : `the load balancer IP of ${name} leads to its endpoints`;
    case 'node-port':
      return `node port ${rule.option('--dport') ?? ''} leads to ${name}`;
    case 'node-ports':
      return 'what goes to an address of this node may be for a node port';
    case 'dispatch':
      return 'looks up to which service the packet goes';
    case 'service-accept':
      return 'goes on to IPVS, which chooses an endpoint';
    case 'leave-alone':
      return 'needs nothing here';
    case 'unknown-port':
      return 'the address is a service’s, but none of its ports is meant: refused';
    case 'unallocated-ip':
      return 'no service has this address: dropped';
    case 'health-check':
      return `lets the load balancer’s health check for ${name} in`;
    case 'no-endpoints':
      return `${name} has no endpoints, so the connection is refused`;
    case 'no-local-endpoints':
      return `${name} has endpoints, but none on this node, and its traffic policy is Local: dropped`;
    case 'source-range':
      return `the client is not in loadBalancerSourceRanges of ${name}: dropped`;
    case 'source-range-allow':
      return `a source that loadBalancerSourceRanges of ${name} allows`;
    case 'source-range-end':
      return `the source is in none of ${name}’s ranges: left alone here, dropped later by KUBE-PROXY-FIREWALL`;
    case 'masquerade-mark':
      return `marks traffic to ${name} for masquerading, so that answers come back by this node`;
    case 'hairpin-mark':
      return `an endpoint of ${name} that reaches itself through the service is marked for masquerading`;
    case 'pod-short-circuit':
      return `pods may use all endpoints of ${name} in spite of externalTrafficPolicy Local`;
    case 'local-short-circuit':
      return `the node itself may use all endpoints of ${name} in spite of externalTrafficPolicy Local`;
    case 'external-policy':
      return rule.target.startsWith('KUBE-SVL-')
        ? `traffic from outside goes to endpoints of ${name} on this node only (externalTrafficPolicy Local)`
        : `traffic from outside goes to all endpoints of ${name}`;
    case 'affinity':
      return `a client of ${name} seen in the last ${rule.option('--seconds') ?? ''} s keeps its endpoint${endpointOf(rule, index)}`;
    case 'balance':
      return `${chance(rule)} of ${name}${endpointOf(rule, index)}`;
    case 'proxy-port':
      return `lets in what kube-proxy has sent to its own port for ${name}`;
    case 'endpoint':
      return `sends the packet to endpoint ${rule.option('--to-destination') ?? ''} of ${name}`;
    case 'set-mark':
      return 'sets kube-proxy’s masquerade mark';
    case 'unmarked':
      return 'what kube-proxy did not mark is not masqueraded here';
    case 'clear-mark':
      return 'takes the masquerade mark off again';
    case 'masquerade':
      return 'gives marked service traffic the address of the outgoing device';
    case 'invalid-drop':
      return 'drops packets that conntrack can’t place in a connection';
    case 'forward-accept':
      return 'lets forwarded traffic through that kube-proxy marked';
    case 'established-accept':
      return 'lets packets of known connections through';
    case 'localnet-guard':
      return 'keeps strangers from 127.0.0.0/8, which route_localnet would open';
    case 'drop-mark':
      return 'marks the packet; KUBE-FIREWALL drops what is marked so';
    case 'marked-drop':
      return 'drops what was marked for it in nat';
    default:
      return assertNever(role);
  }
}

/** Which of the endpoints that are left a rule picks. */
function chance(rule: RuleText): string {
  const probability = rule.option('--probability');
  return probability === null ? 'the last or only endpoint' : `1 in ${Math.round(1 / Number(probability))} goes to an endpoint`;
}

function endpointOf(rule: RuleText, index: ServiceIndex): string {
  const endpoint = / -> (\S+)$/.exec(rule.comment)?.[1] ?? index.owner(rule.target)?.endpoint ?? null;
  return endpoint === null ? '' : `, ${endpoint}`;
}
