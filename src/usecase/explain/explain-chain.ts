import { serviceIndexOf, serviceObject, NO_SERVICES } from './service-index.ts';
import { explanation } from './explanation.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Explanation } from './explanation.ts';
import type { ServiceIndex } from './service-index.ts';

/**
 * Says in one sentence what a chain is for and whose it is. Chains whose name is a hash are found among the services of `cluster`.
 * @returns null for a chain of nobody that is known here
 */
export function explainChain(name: string, cluster?: Cluster): Explanation | null {
  const index = cluster === undefined ? NO_SERVICES : serviceIndexOf(cluster);
  const known = CHAINS.get(name);
  if (known !== undefined) return explanation(known[0], 'chain', known[1]);
  for (const [prefix, explain] of HASHED) if (name.startsWith(prefix)) return explain(name, index);
  for (const [prefix, by, sentence] of FAMILIES) if (name.startsWith(prefix)) return explanation(by, 'chain', sentence);
  return null;
}

/** True for the name of a single chain that is known here, false for one that only begins as a family's chains do. */
export function isKnownChain(name: string): boolean {
  return CHAINS.has(name);
}

/** Chains with a name of their own: maker and purpose. */
const CHAINS: ReadonlyMap<string, readonly [by: string, sentence: string]> = new Map([
  ['PREROUTING', ['kernel', 'every packet that comes in, before it is routed']],
  ['INPUT', ['kernel', 'packets for a process of this host']],
  ['FORWARD', ['kernel', 'packets that this host passes on']],
  ['OUTPUT', ['kernel', 'packets that a process of this host sends']],
  ['POSTROUTING', ['kernel', 'every packet that goes out, after it was routed']],
  [
    'KUBE-SERVICES',
    [
      'kube-proxy',
      'nat: leads what goes to a service to its endpoints; filter: refuses what goes to a cluster IP without endpoints',
    ],
  ],
  [
    'KUBE-EXTERNAL-SERVICES',
    ['kube-proxy', 'refuses what goes to an external address or node port of a service without endpoints'],
  ],
  ['KUBE-NODEPORTS', ['kube-proxy', 'nat: leads node ports to their services; filter: lets health checks of load balancers in']],
  ['KUBE-FORWARD', ['kube-proxy', 'lets forwarded service traffic through, and drops packets that conntrack calls invalid']],
  ['KUBE-PROXY-FIREWALL', ['kube-proxy', 'drops what loadBalancerSourceRanges don’t allow']],
  ['KUBE-POSTROUTING', ['kube-proxy', 'masquerades what KUBE-MARK-MASQ has marked']],
  ['KUBE-MARK-MASQ', ['kube-proxy', 'marks packets that KUBE-POSTROUTING shall masquerade']],
  ['KUBE-MARK-DROP', ['kubelet', 'marks packets that KUBE-FIREWALL shall drop (before 1.28)']],
  [
    'KUBE-FIREWALL',
    ['kubelet', 'keeps strangers from 127.0.0.0/8, which route_localnet would open (kube-proxy makes the same chain)'],
  ],
  [
    'KUBE-PROXY-CANARY',
    ['kube-proxy', 'empty: when it vanishes, somebody has flushed the tables and kube-proxy writes all anew'],
  ],
  [
    'KUBE-KUBELET-CANARY',
    ['kubelet', 'empty: when it vanishes, somebody has flushed the tables and kubelet writes its chains anew'],
  ],
  ['KUBE-IPTABLES-HINT', ['kubelet', 'empty: tells by where it is which iptables variant this node uses']],
  ['KUBE-LOAD-BALANCER', ['kube-proxy', 'ipvs mode: marks traffic to load balancer IPs for masquerading']],
  ['KUBE-NODE-PORT', ['kube-proxy', 'ipvs mode: nat: marks node port traffic for masquerading; filter: lets health checks in']],
  ['KUBE-SOURCE-RANGES-FIREWALL', ['kube-proxy', 'ipvs mode: drops what loadBalancerSourceRanges don’t allow']],
  ['KUBE-IPVS-FILTER', ['kube-proxy', 'ipvs mode: keeps services’ addresses from reaching other sockets of the node']],
  ['KUBE-IPVS-OUT-FILTER', ['kube-proxy', 'ipvs mode: keeps the node itself to loadBalancerSourceRanges']],
  ['KUBE-PORTALS-CONTAINER', ['kube-proxy', 'userspace mode: leads what goes to a service to kube-proxy’s own ports']],
  ['KUBE-PORTALS-HOST', ['kube-proxy', 'userspace mode: the same for what the node itself sends']],
  ['KUBE-NODEPORT-CONTAINER', ['kube-proxy', 'userspace mode: leads node ports to kube-proxy’s own ports']],
  ['KUBE-NODEPORT-HOST', ['kube-proxy', 'userspace mode: the same for what the node itself sends']],
  ['KUBE-NODEPORT-NON-LOCAL', ['kube-proxy', 'userspace mode: lets in what comes by a node port, though INPUT is closed']],
  ['FLANNEL-POSTRTG', ['flannel', 'decides what of the pods’ traffic is masqueraded']],
  ['FLANNEL-FWD', ['flannel', 'lets the pods’ traffic through FORWARD']],
  ['WEAVE', ['weave', 'decides what of the pods’ traffic is masqueraded']],
  ['WEAVE-EXPOSE', ['weave', 'lets traffic to pods through FORWARD']],
  ['WEAVE-CANARY', ['weave', 'empty: when it vanishes, somebody has flushed the tables and Weave Net writes its rules anew']],
  ['WEAVE-NPC', ['weave', 'the policy controller’s: what may go to pods of this node']],
  ['WEAVE-NPC-DEFAULT', ['weave', 'lets in what is for pods that no policy selects']],
  ['WEAVE-NPC-INGRESS', ['weave', 'what ingress policies let in']],
  ['WEAVE-NPC-EGRESS', ['weave', 'the policy controller’s: what pods of this node may send']],
  ['WEAVE-NPC-EGRESS-DEFAULT', ['weave', 'marks what is sent by pods that no policy selects']],
  ['WEAVE-NPC-EGRESS-CUSTOM', ['weave', 'marks what egress policies let out']],
  ['WEAVE-NPC-EGRESS-ACCEPT', ['weave', 'marks what may leave a pod']],
  ['WEAVE-IPSEC-IN', ['weave', 'encrypted networks: drops what comes between the nodes unencrypted']],
  ['CNI-HOSTPORT-DNAT', ['portmap', 'leads host ports of pods to their pods']],
  ['CNI-HOSTPORT-SETMARK', ['portmap', 'marks hostPort traffic that CNI-HOSTPORT-MASQ shall masquerade']],
  ['CNI-HOSTPORT-MASQ', ['portmap', 'masquerades marked hostPort traffic']],
  ['CNI-FORWARD', ['cni-firewall', 'CNI’s firewall plugin lets the pods’ traffic through here']],
  ['CNI-ADMIN', ['cni-firewall', 'rules of the administrator, in front of the firewall plugin’s']],
  ['DOCKER', ['docker', 'published ports of containers']],
  ['DOCKER-USER', ['docker', 'rules of the administrator, in front of Docker’s']],
  ['DOCKER-FORWARD', ['docker', 'decides what is forwarded for containers']],
  ['DOCKER-INGRESS', ['docker', 'Docker Swarm’s published ports']],
]);

/** Chains of one service, endpoint or pod. */
const HASHED: readonly (readonly [prefix: string, explain: (name: string, index: ServiceIndex) => Explanation])[] = [
  ['KUBE-SVC-', ofService((service) => `chooses among the endpoints of ${service}`)],
  ['KUBE-SVL-', ofService((service) => `chooses among the endpoints of ${service} on this node (traffic policy Local)`)],
  ['KUBE-EXT-', ofService((service) => `where traffic to node port, external and load balancer IPs of ${service} comes by`)],
  [
    'KUBE-XLB-',
    ofService((service) => `where traffic from outside to ${service} comes by (externalTrafficPolicy Local, before 1.24)`),
  ],
  [
    'KUBE-FW-',
    ofService((service) => `checks the source of load balancer traffic to ${service} against loadBalancerSourceRanges`),
  ],
  [
    'KUBE-SEP-',
    ofService((service, endpoint) => `sends to ${endpoint === null ? 'one endpoint' : `endpoint ${endpoint}`} of ${service}`),
  ],
];

/** Chains that come in families, whose single members aren't told apart. */
const FAMILIES: readonly (readonly [prefix: string, by: string, sentence: string])[] = [
  ['CNI-DN-', 'portmap', 'host ports of one pod'],
  ['CNI-', 'bridge-plugin', 'masquerades what one pod sends out'],
  ['DOCKER-ISOLATION', 'docker', 'keeps Docker’s networks apart from each other'],
  ['DOCKER', 'docker', 'a chain of Docker'],
  ['cali-', 'calico', 'a chain of Calico'],
  ['CILIUM_', 'cilium', 'a chain of Cilium'],
  ['WEAVE', 'weave', 'a chain of Weave Net'],
  ['KUBE-ROUTER', 'kube-router', 'a chain of kube-router'],
  ['KUBE-', 'kubernetes', 'a chain of Kubernetes that this version does not know'],
];

function ofService(
  sentence: (service: string, endpoint: string | null) => string,
): (name: string, index: ServiceIndex) => Explanation {
  return (name, index) => {
    const owner = index.owner(name);
    const object = owner === undefined ? null : serviceObject(owner.name);
    return explanation('kube-proxy', 'chain', sentence(owner?.name ?? 'a service', owner?.endpoint ?? null), object);
  };
}
