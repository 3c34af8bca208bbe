import type { Origin } from './origin.ts';
import type { API_VERSION } from './trace.ts';

/** What `k8snet explain -o json` says: of a chain, a service, a pod, a node or an address. */
export interface Explanation {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Explanation';
  /** How a service comes to its rules; only where one was asked for. */
  readonly service?: ServiceRegistration;
  readonly pod?: ExplainedPod;
  readonly node?: ExplainedNode;
  readonly address?: ExplainedAddress;
  /** The chain that was asked for, or those of the service on one node, with all their rules. */
  readonly chains: readonly ExplainedChain[];
}

/** A chain, what it is for, whose it is, and its rules on a node. */
export interface ExplainedChain {
  readonly name: string;
  readonly sentence: string;
  readonly origin: Origin;
  /** Empty when there are none to show. */
  readonly rules: readonly ExplainedRule[];
}

/** A rule and what it is for. */
export interface ExplainedRule {
  readonly table: string;
  /** Its place in the chain, from 1. */
  readonly rule: number;
  /** As iptables-save prints it. */
  readonly text: string;
  readonly sentence: string | null;
}

/** How a service comes to its rules: from the selector by pods and endpoint slices to what each node's kernel holds. */
export interface ServiceRegistration {
  /** "shop/web" */
  readonly name: string;
  readonly type: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  readonly headless: boolean;
  /** "flannel vxlan" */
  readonly cni: string;
  readonly proxyMode: string;
  readonly clusterIps: readonly string[];
  readonly externalName: string | null;
  readonly ports: readonly RegistrationPort[];
  /** Why it leads nowhere; null: it leads somewhere. */
  readonly fault: string | null;
  /** From what a client knows to where its packets go. */
  readonly mappings: readonly RegistrationMapping[];
  /** "app=web, tier=front"; null: it has none. */
  readonly selector: string | null;
  /** Pods that the selector takes, then those that it nearly takes. */
  readonly pods: readonly RegistrationPod[];
  /** Pods of its namespace that have nothing of the selector. */
  readonly otherPods: number;
  readonly slices: readonly RegistrationSlice[];
  /** Nodes on which the rules differ: a group each. Empty where kube-proxy makes nothing of it. */
  readonly nodes: readonly RegistrationNodes[];
  /** Nodes in further groups, which are left out. */
  readonly moreNodes: number;
  /** Why no node has rules for it; null: nodes have some. */
  readonly withoutRules: string | null;
  readonly entrances: readonly RegistrationEntrance[];
}

/** A port of a service. */
export interface RegistrationPort {
  /** '' without one. */
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
  /** A number, or the name of a port that each pod declares. */
  readonly targetPort: string;
  readonly nodePort: number | null;
}

/** One thing turned into another, who does it and whose data it reads. */
export interface RegistrationMapping {
  readonly kind: 'name' | 'port-name' | 'cluster-ip';
  /** "web.shop.svc.cluster.local", "10.96.0.20:80/tcp" */
  readonly from: string;
  /** "A", "AAAA", "SRV", "CNAME"; null: no name. */
  readonly record: string | null;
  readonly to: readonly string[];
  /** "cluster DNS", "kube-proxy" */
  readonly by: string;
  /** The object that says so: "Service shop/web", "EndpointSlice shop/web-ipv4". */
  readonly object: string;
  /** Why `to` is empty; null where it is not. */
  readonly why: string | null;
}

/** used: packets are sent to the pod. unused: it is in a slice, but nothing is sent to it. left-out: it is in no slice. */
export type RegistrationState = 'used' | 'unused' | 'left-out';

/** A pod, and what a service makes of it. */
export interface RegistrationPod {
  /** "shop/web-1" */
  readonly name: string;
  readonly node: string;
  readonly addresses: readonly string[];
  /** Addresses with the ports that the service leads to. */
  readonly endpoints: readonly string[];
  readonly state: RegistrationState;
  readonly reasons: readonly RegistrationReason[];
}

/** Something that keeps a pod from a service, or is to be known of it. */
export interface RegistrationReason {
  readonly code:
    | 'labels'
    | 'other-namespace'
    | 'not-ready'
    | 'published-though-not-ready'
    | 'terminating'
    | 'no-address'
    | 'no-such-port'
    | 'not-listening'
    | 'not-in-given-slices';
  readonly text: string;
}

/** An EndpointSlice. */
export interface RegistrationSlice {
  readonly name: string;
  readonly addressType: string;
  /** Who made it; "input": given in the input, by the controller of a real cluster or by hand. */
  readonly madeBy: 'endpoint-slice-controller' | 'api-server' | 'input';
  /** "http tcp 8080"; null number: every port. */
  readonly ports: readonly { readonly name: string; readonly protocol: string; readonly port: number | null }[];
  readonly endpoints: readonly RegistrationEndpoint[];
}

/** An endpoint of a slice. */
export interface RegistrationEndpoint {
  readonly addresses: readonly string[];
  /** "shop/web-1"; null: no pod is named. */
  readonly pod: string | null;
  readonly node: string | null;
  /** The node's label topology.kubernetes.io/zone; null without one. */
  readonly zone: string | null;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly hintZones: readonly string[];
  readonly hintNodes: readonly string[];
}

/** Nodes whose rules for the service are alike, and those rules as they are on the first of them. */
export interface RegistrationNodes {
  readonly nodes: readonly string[];
  /** The dumps that the rules come from; empty: what the controllers write. */
  readonly dumps: readonly string[];
  /** What is different here from other nodes: traffic policies, hints. */
  readonly notes: readonly string[];
  /** Rules in places that all services share, by which packets come to those of this one. */
  readonly entries: readonly RegistrationEntry[];
  /** What is the service's own, in the order in which packets get there. */
  readonly chains: readonly RegistrationChain[];
}

/** A rule, map element or virtual server that takes what is addressed to the service. */
export interface RegistrationEntry {
  /** "10.96.0.20:80/tcp", "this node:30080/tcp" */
  readonly takes: string;
  /** What it is for: "cluster-ip", "node-port", "no-endpoints"; null: not known. */
  readonly role: string | null;
  /** "nat KUBE-SERVICES #1", "map service-ips", "IPVS virtual server" */
  readonly place: string;
  /** The chain that it leads to; null: it decides itself. */
  readonly leadsTo: string | null;
  readonly sentence: string;
}

/** A chain of the service alone, or what stands for one: an IPVS virtual server, a port of the process kube-proxy. */
export interface RegistrationChain {
  readonly name: string;
  readonly sentence: string;
  readonly steps: readonly RegistrationStep[];
}

/** A rule of such a chain. */
export interface RegistrationStep {
  /** Its place in the chain, from 1. */
  readonly rule: number;
  readonly sentence: string;
  readonly leadsTo: string | null;
  /** "10.244.0.3:8080" */
  readonly endpoint: string | null;
  /** "shop/web-1" */
  readonly pod: string | null;
}

/** A way to the service from outside. */
export interface RegistrationEntrance {
  readonly kind: 'node-port' | 'external-ip' | 'load-balancer' | 'ingress' | 'health-check';
  /** "any node:30080/tcp", "203.0.113.7:80/tcp", "https://shop.example/cart" */
  readonly at: string;
  /** Who gave it out or serves it: "API server", "cloud controller", "administrator", "ingress-nginx". */
  readonly by: string;
  readonly sentence: string;
}

/** A pod: where it is, and which services lead to it. */
export interface ExplainedPod {
  readonly name: string;
  readonly node: string;
  readonly addresses: readonly string[];
  readonly hostNetwork: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly ready: boolean;
  readonly terminating: boolean;
  /** The cable to its node; null: it has none. */
  readonly cable: { readonly inside: string; readonly outside: string; readonly bridge: string | null } | null;
  readonly ports: readonly {
    readonly name: string;
    readonly protocol: string;
    readonly port: number;
    readonly hostPort: number | null;
    readonly listens: boolean;
  }[];
  /** Rules about this pod alone, on its node. */
  readonly rules: readonly ExplainedPodRule[];
  /** Services of its namespace that take it or nearly do. */
  readonly services: readonly ExplainedPodService[];
  /** Services of its namespace that ask for other labels altogether. */
  readonly otherServices: number;
}

/** A rule on a pod's node that is about the pod. */
export interface ExplainedPodRule {
  readonly table: string;
  readonly chain: string;
  readonly rule: number;
  readonly text: string;
  readonly sentence: string | null;
}

/** A service as a pod sees it. */
export interface ExplainedPodService {
  readonly name: string;
  readonly selector: string;
  readonly state: RegistrationState;
  readonly endpoints: readonly string[];
  readonly reasons: readonly RegistrationReason[];
}

/** A node in short. */
export interface ExplainedNode {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly podCidrs: readonly string[];
  readonly cni: string;
  readonly proxyMode: string;
  readonly zone: string | null;
  /** The dumps that its rules come from. */
  readonly dumps: readonly string[];
  /** "shop/web-1" */
  readonly pods: readonly string[];
  /** Services of which an endpoint is here. */
  readonly services: readonly string[];
  /** How much the controllers have made there. */
  readonly state: readonly { readonly what: string; readonly count: number }[];
}

/** An address and whose it is. */
export interface ExplainedAddress {
  /** "10.96.0.20", "10.96.0.20:80" */
  readonly address: string;
  /** Most telling first; empty: nobody's. */
  readonly holders: readonly ExplainedHolder[];
  /** What is known of an address that nobody has. */
  readonly notes: readonly string[];
}

export interface ExplainedHolder {
  /** "service", "pod", "node", "external host", "router", "balancer", "bridge" */
  readonly kind: string;
  /** "svc/shop/web" as explain takes it, where it does. */
  readonly name: string;
  readonly sentence: string;
}
