import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Protocol, TransportProtocol } from '../../net/protocol.ts';
import type { DnsConfig, ExternalName, PodDns } from './dns.ts';
import type { Ingress, IngressClass, IngressSettings } from './ingress.ts';
import type { LoadBalancerSettings } from './load-balancer.ts';

/** Where something stands in the input, for messages and annotations. 1-based. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A whole cluster, normalised: defaults filled in, references resolved. Immutable; everything else is computed from it. */
export interface Cluster {
  readonly name: string;
  readonly kubernetesVersion: KubernetesVersion;
  /** Pod ranges, at most one a family. */
  readonly podCidrs: readonly Cidr[];
  readonly serviceCidrs: readonly Cidr[];
  readonly dnsDomain: string;
  readonly cni: CniConfig;
  readonly kubeProxy: KubeProxyConfig;
  readonly underlay: Underlay;
  /** In the order of the file. */
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly services: readonly Service[];
  /** Given ones, and those derived from selectors and pods as the endpoint slice controller does. */
  readonly endpointSlices: readonly EndpointSlice[];
  readonly externals: readonly ExternalHost[];
  /** Owners of pods (Deployment ...), for `deploy/NAME` references. */
  readonly workloads: readonly Workload[];
  readonly ingresses: readonly Ingress[];
  readonly ingressClasses: readonly IngressClass[];
  readonly ingressSettings: IngressSettings;
  /** The cloud's balancer; null: there is no cloud, nobody gives services of type LoadBalancer an address. */
  readonly loadBalancer: LoadBalancerSettings | null;
  /** Names of the world outside. */
  readonly externalDns: readonly ExternalName[];
  /** Objects that are given but not modelled yet (NetworkPolicy ...): named in the verdict. */
  readonly notModelled: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[];
  /** Left out: none. */
  readonly leftOutPods?: readonly LeftOutPod[];
}

/** A pod of the input that takes no part, and why: "it has ended (phase Succeeded) and holds no address". */
export interface LeftOutPod {
  readonly namespace: string;
  readonly name: string;
  readonly why: string;
}

export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
}

export interface Node {
  readonly name: string;
  /** Primary address of each family, first InternalIP; IPv4 first when there is one. */
  readonly addresses: readonly IpAddress[];
  /** Pod ranges of this node (spec.podCIDRs), at most one a family; empty when the CNI gives none. */
  readonly podCidrs: readonly Cidr[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly mtu: number;
  readonly sysctls: Readonly<Record<string, string>>;
  /** More addresses on the first interface (eth0), with their prefix lengths. */
  readonly extraAddresses: readonly { readonly address: IpAddress; readonly length: number }[];
  /**
   * The interface of the default route, where that is not an eth0 with the node's addresses. They are then on the interface that lists
   * one of them (a virtual machine whose eth0 leads to a private NAT).
   */
  readonly firstInterface?: NodeInterface;
  /** Further interfaces. */
  readonly interfaces: readonly NodeInterface[];
  /** A dump that replaces all compiled rules: its file name for messages, and its text. */
  readonly iptablesSave: DumpFile | null;
  /** What `nft list ruleset` printed there; it replaces all compiled rules too. */
  readonly nftRuleset?: DumpFile;
  /** The node's own resolv.conf; left out: not known. */
  readonly resolvConf?: DnsConfig;
  readonly commands: readonly CommandLine[];
  /** Ports on which a process of the node itself is taken to listen, since a service points there; left out: none. */
  readonly assumedPorts?: Pod['assumedPorts'];
  readonly position: SourcePosition | null;
}

/** What a program printed on a real node. */
export interface DumpFile {
  readonly file: string;
  readonly text: string;
}

export interface NodeInterface {
  readonly name: string;
  readonly address: IpAddress;
  readonly length: number;
  readonly subnet: string | null;
  readonly mtu: number;
}

/** A command line of an operator, kept with its position. */
export interface CommandLine {
  readonly text: string;
  readonly position: SourcePosition | null;
  /** It ran in an earlier step: where it is refused now, what it changed is gone, and it is passed over. */
  readonly earlier?: true;
}

export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** Addresses, at most one a family; for hostNetwork pods the node's. */
  readonly addresses: readonly IpAddress[];
  readonly labels: Readonly<Record<string, string>>;
  readonly hostNetwork: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly ports: readonly ContainerPort[];
  /** Names of its containers; left out where nothing is said of them. They share the pod's namespace, so no packet asks for them. */
  readonly containers?: readonly string[];
  /** Left out: all of it is as by default, with policy ClusterFirst. */
  readonly dns?: PodDns;
  /** Ports that listen beyond the declared ones: where services point, for a pod that declares no port at all (an assumption). */
  readonly assumedPorts: readonly { readonly protocol: TransportProtocol; readonly port: number; readonly service: string }[];
  /** The pod's own eth0; null: what the CNI gives. */
  readonly mtu: number | null;
  /** null: what the CNI configuration says. */
  readonly hairpinMode: boolean | null;
  readonly owner: { readonly kind: string; readonly name: string } | null;
  readonly commands: readonly CommandLine[];
  readonly position: SourcePosition | null;
}

export interface ContainerPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: TransportProtocol;
  readonly hostPort: number | null;
  readonly hostIp: IpAddress | null;
  readonly listens: boolean;
}

export type ServiceType = 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
export type TrafficPolicy = 'Cluster' | 'Local';

export interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly type: ServiceType;
  /** Empty for headless and ExternalName services. In the order of ipFamilies. */
  readonly clusterIps: readonly IpAddress[];
  readonly headless: boolean;
  readonly ipFamilies: readonly (4 | 6)[];
  readonly ports: readonly ServicePort[];
  /** null: no selector. */
  readonly selector: Readonly<Record<string, string>> | null;
  readonly externalIps: readonly IpAddress[];
  /** status.loadBalancer.ingress */
  readonly loadBalancerIngress: readonly {
    readonly ip: IpAddress | null;
    readonly hostname: string | null;
    readonly ipMode: 'VIP' | 'Proxy';
  }[];
  readonly loadBalancerSourceRanges: readonly Cidr[];
  /** spec.loadBalancerClass: another than the cloud's controller looks after the service; null: the cloud's does. */
  readonly loadBalancerClass: string | null;
  readonly allocateLoadBalancerNodePorts: boolean;
  readonly externalTrafficPolicy: TrafficPolicy;
  readonly internalTrafficPolicy: TrafficPolicy;
  readonly sessionAffinity: { readonly kind: 'None' } | { readonly kind: 'ClientIP'; readonly timeoutSeconds: number };
  readonly healthCheckNodePort: number;
  readonly publishNotReadyAddresses: boolean;
  readonly trafficDistribution: string | null;
  readonly externalName: string | null;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly position: SourcePosition | null;
}

export interface ServicePort {
  readonly name: string;
  readonly protocol: TransportProtocol;
  readonly port: number;
  readonly targetPort: number | string;
  /** 0: none. */
  readonly nodePort: number;
}

export interface EndpointSlice {
  readonly namespace: string;
  readonly name: string;
  /** Label kubernetes.io/service-name. */
  readonly service: string;
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN';
  readonly ports: readonly { readonly name: string; readonly protocol: TransportProtocol; readonly port: number | null }[];
  readonly endpoints: readonly Endpoint[];
  /** True when k8snet derived it from the selector. */
  readonly derived: boolean;
  /** The pods behind a derived slice's endpoints, in their order. */
  readonly pods?: readonly Pod[];
}

export interface Endpoint {
  /** As given: kube-proxy hashes and prints the text, not the value. Only the first counts. */
  readonly addresses: readonly string[];
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly nodeName: string | null;
  /** The name that cluster DNS knows it by below the service's; left out: none. */
  readonly hostname?: string;
  /** "namespace/name" */
  readonly pod: string | null;
  readonly hintZones: readonly string[];
  readonly hintNodes: readonly string[];
}

export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet';
  readonly namespace: string;
  readonly name: string;
  /** "namespace/name" of its pods, in order. */
  readonly pods: readonly string[];
}

export interface ExternalHost {
  readonly name: string;
  readonly addresses: readonly IpAddress[];
  readonly ports: readonly { readonly port: number; readonly protocol: TransportProtocol }[];
  readonly commands: readonly CommandLine[];
  readonly position: SourcePosition | null;
}

/** A range of one IP family on a link, and the router's address in it. */
export interface UnderlayRange {
  readonly cidr: Cidr;
  readonly router: IpAddress;
}

export interface Underlay {
  /** The nodes' common range. */
  readonly nodeCidr: Cidr;
  /** The router's address in nodeCidr: its first host address, or a free one where nodeCidr is assumed and a node holds that. */
  readonly router: IpAddress;
  /** The nodes' range of the other IP family, on the same link. */
  readonly second?: UnderlayRange;
  readonly subnets: readonly (UnderlayRange & { readonly name: string; readonly second?: UnderlayRange })[];
  readonly firewall: readonly FirewallRule[];
  readonly commands: readonly CommandLine[];
}

/** A frame between the switch's ports that is dropped. null: any. `from` and `to` are "node/NAME", "external/NAME", or a range as text. */
export interface FirewallRule {
  readonly protocol: Protocol | null;
  readonly port: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly position: SourcePosition | null;
}

export type FlannelBackend = 'vxlan' | 'host-gw' | 'ali-vpc' | 'aws-vpc' | 'gce' | 'udp' | 'ipip' | 'wireguard';

export type CniConfig =
  | { readonly plugin: 'none' }
  | { readonly plugin: 'docker'; readonly mtu: number | null; readonly hairpinMode: boolean }
  | { readonly plugin: 'bridge'; readonly mtu: number | null; readonly hairpinMode: boolean; readonly ipMasq: boolean }
  | {
      readonly plugin: 'flannel';
      readonly backend: FlannelBackend;
      readonly vni: number;
      /** UDP port of the overlay. */
      readonly port: number;
      /** flannel's own MTU; null: derived from eth0's. */
      readonly mtu: number | null;
      /** MTU of cni0, veths and pods only. */
      readonly podMtu: number | null;
      readonly ipMasq: boolean;
      readonly iptablesForwardRules: boolean;
      readonly hairpinMode: boolean;
      /** --iface: names or addresses of interfaces, the first that a node has counts. Left out: the default route's. */
      readonly iface?: readonly string[];
    }
  | {
      readonly plugin: 'weave';
      readonly mtu: number | null;
      readonly hairpinMode: boolean;
      /** weave-npc, the policy controller, runs (EXPECT_NPC). */
      readonly npc: boolean;
    };

export type ProxyMode = 'iptables' | 'ipvs' | 'nftables' | 'userspace' | 'none';

/** The fields of KubeProxyConfiguration (kubeproxy.config.k8s.io/v1alpha1) that decide rules. */
export interface KubeProxyConfig {
  readonly mode: ProxyMode;
  /** Unset: no local-traffic detection by cluster CIDR. */
  readonly clusterCidrs: readonly Cidr[];
  readonly detectLocalMode: 'ClusterCIDR' | 'NodeCIDR' | 'BridgeInterface' | 'InterfaceNamePrefix';
  readonly detectLocal: { readonly bridgeInterface: string; readonly interfaceNamePrefix: string };
  readonly nodePortAddresses: readonly string[];
  readonly iptables: { readonly masqueradeAll: boolean; readonly masqueradeBit: number; readonly localhostNodePorts: boolean };
  readonly ipvs: {
    readonly scheduler: string;
    readonly strictArp: boolean;
    readonly excludeCidrs: readonly Cidr[];
    /** Milliseconds; left out: as the kernel has them. */
    readonly tcpTimeout?: number;
    readonly tcpFinTimeout?: number;
    readonly udpTimeout?: number;
  };
  readonly nftables: { readonly masqueradeAll: boolean; readonly masqueradeBit: number };
  readonly conntrackTcpBeLiberal: boolean;
  readonly featureGates: Readonly<Record<string, boolean>>;
}
