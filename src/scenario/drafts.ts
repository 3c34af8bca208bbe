import type {
  CommandLine,
  ContainerPort,
  DumpFile,
  EndpointSlice,
  ExternalHost,
  LeftOutPod,
  NodeInterface,
  ServiceType,
  SourcePosition,
  TrafficPolicy,
} from '../kubernetes/model/cluster.ts';
import type { Check } from '../kubernetes/model/check.ts';
import type { DnsConfig, ExternalName, PodDns } from '../kubernetes/model/dns.ts';
import type { Ingress, IngressClass, IngressSettings } from '../kubernetes/model/ingress.ts';
import type { LoadBalancerSettings } from '../kubernetes/model/load-balancer.ts';
import type { Cidr } from '../net/cidr.ts';
import type { IpAddress } from '../net/ip.ts';
import type { Protocol, TransportProtocol } from '../net/protocol.ts';
import type { CniDraft, KubeProxyDraft } from './draft-config.ts';

/** Labels, annotations, sysctls. */
export type TextMap = Readonly<Record<string, string>>;

/** What the input says of a node; undefined: nothing. */
export interface NodeDraft {
  readonly name: string;
  readonly position: SourcePosition;
  readonly addresses?: readonly IpAddress[] | undefined;
  readonly podCidrs?: readonly Cidr[] | undefined;
  readonly labels?: TextMap | undefined;
  readonly annotations?: TextMap | undefined;
  readonly mtu?: number | undefined;
  readonly sysctls?: TextMap | undefined;
  readonly extraAddresses?: readonly { readonly address: IpAddress; readonly length: number }[] | undefined;
  /** As listed; one named eth0 among them or not. */
  readonly interfaces?: readonly InterfaceDraft[] | undefined;
  readonly interfacesPosition?: SourcePosition | undefined;
  readonly iptablesSave?: DumpFile | undefined;
  readonly nftRuleset?: DumpFile | undefined;
  readonly resolvConf?: DnsConfig | undefined;
  readonly commands?: readonly CommandLine[] | undefined;
  /** status.nodeInfo.kubeletVersion */
  readonly kubeletVersion?: string | undefined;
  /** The scheduler puts no plain workload pods here: cordoned, or a NoSchedule or NoExecute taint. */
  readonly unschedulable?: boolean | undefined;
}

export type InterfaceDraft = Omit<NodeInterface, 'mtu'> & { readonly mtu: number | undefined };

export interface PodDraft {
  readonly namespace: string;
  readonly name: string;
  readonly position: SourcePosition;
  readonly node?: string | undefined;
  /** Where `node` is written in the short form. */
  readonly nodePosition?: SourcePosition | undefined;
  /** An object that nobody has scheduled yet: placed as a workload's pod is. */
  readonly placeable?: boolean | undefined;
  readonly addresses?: readonly IpAddress[] | undefined;
  readonly labels?: TextMap | undefined;
  readonly hostNetwork?: boolean | undefined;
  /** The Ready condition, whatever terminating says. */
  readonly ready?: boolean | undefined;
  readonly terminating?: boolean | undefined;
  /** Undefined: the pod declares no port at all. */
  readonly ports?: readonly PortDraft[] | undefined;
  /** Names of its containers. */
  readonly containers?: readonly string[] | undefined;
  /** Undefined: all of it is as by default. */
  readonly dns?: PodDns | undefined;
  readonly mtu?: number | undefined;
  readonly hairpinMode?: boolean | undefined;
  readonly owner?: { readonly kind: string; readonly name: string } | undefined;
  readonly commands?: readonly CommandLine[] | undefined;
}

/** `process` tells who listens: the index of the container, or of the short form's entry. `position`: null for objects (the pod's). */
export type PortDraft = ContainerPort & { readonly process: number; readonly position: SourcePosition | null };

export interface ServicePortDraft {
  readonly name: string;
  readonly protocol: TransportProtocol;
  readonly port: number;
  readonly targetPort: number | string | undefined;
  /** undefined: not given. */
  readonly nodePort: number | undefined;
  /** null: not kept for objects, the service's serves. */
  readonly position: SourcePosition | null;
}

export interface ServiceDraft {
  readonly namespace: string;
  readonly name: string;
  readonly position: SourcePosition;
  /** An object that has a cluster IP has been through the API server: what it lacks is really not there. */
  readonly complete?: boolean | undefined;
  readonly type?: ServiceType | undefined;
  readonly headless?: boolean | undefined;
  readonly clusterIps?: readonly IpAddress[] | undefined;
  readonly ipFamilies?: readonly (4 | 6)[] | undefined;
  readonly ipFamilyPolicy?: string | undefined;
  readonly ports?: readonly ServicePortDraft[] | undefined;
  readonly selector?: TextMap | undefined;
  readonly externalIps?: readonly IpAddress[] | undefined;
  readonly loadBalancerIngress?: readonly LoadBalancerIngressDraft[] | undefined;
  readonly loadBalancerSourceRanges?: readonly Cidr[] | undefined;
  readonly loadBalancerClass?: string | undefined;
  /** The address that the cloud is asked for. */
  readonly loadBalancerIp?: IpAddress | undefined;
  readonly allocateLoadBalancerNodePorts?: boolean | undefined;
  readonly externalTrafficPolicy?: TrafficPolicy | undefined;
  readonly internalTrafficPolicy?: TrafficPolicy | undefined;
  readonly sessionAffinity?: 'None' | 'ClientIP' | undefined;
  readonly affinitySeconds?: number | undefined;
  readonly healthCheckNodePort?: number | undefined;
  readonly publishNotReadyAddresses?: boolean | undefined;
  readonly trafficDistribution?: string | undefined;
  readonly externalName?: string | undefined;
  readonly annotations?: TextMap | undefined;
  readonly labels?: TextMap | undefined;
}

export interface LoadBalancerIngressDraft {
  readonly ip: IpAddress | null;
  readonly hostname: string | null;
  readonly ipMode: 'VIP' | 'Proxy';
}

/** A Deployment and the like. Its pods are made unless pods of it are given. */
export interface WorkloadDraft {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet';
  readonly namespace: string;
  readonly name: string;
  readonly position: SourcePosition;
  readonly replicas: number;
  /** spec.ordinals.start of a StatefulSet. */
  readonly firstOrdinal: number;
  /** spec.serviceName of a StatefulSet: the subdomain of its pods. */
  readonly serviceName?: string | undefined;
  readonly owner: { readonly kind: string; readonly name: string } | null;
  /** The pods' template; name and node are filled in. */
  readonly template: PodDraft;
  readonly nodeSelector: TextMap;
}

/** What the input says of an Ingress; undefined: nothing. */
export interface IngressDraft {
  readonly namespace: string;
  readonly name: string;
  readonly position: SourcePosition;
  readonly className?: string | undefined;
  readonly annotations?: TextMap | undefined;
  readonly defaultBackend?: Ingress['defaultBackend'] | undefined;
  readonly rules?: Ingress['rules'] | undefined;
  readonly tls?: Ingress['tls'] | undefined;
  readonly loadBalancerIngress?: Ingress['loadBalancerIngress'] | undefined;
}

/** The `ingress` key. */
export type IngressSettingsDraft = { readonly [K in keyof IngressSettings]?: IngressSettings[K] | undefined } & {
  readonly position: SourcePosition;
};

/** The `loadBalancer` key. */
export type LoadBalancerDraft = { readonly [K in keyof LoadBalancerSettings]?: LoadBalancerSettings[K] | undefined } & {
  readonly position: SourcePosition;
};

/** An entry of `externalDNS`. */
export interface ExternalNameDraft extends ExternalName {
  /** Hosts whose addresses it has, as written: "external/NAME" or "node/NAME". */
  readonly hosts: readonly string[];
  readonly position: SourcePosition;
}

/** A slice as given, and where. */
export interface SliceDraft {
  readonly slice: EndpointSlice;
  readonly position: SourcePosition;
}

export interface SubnetDraft {
  readonly name: string;
  /** At most one a family; at least one. */
  readonly cidrs: readonly Cidr[];
  /** At most one a family. */
  readonly routers: readonly IpAddress[];
  readonly position: SourcePosition;
}

export interface FirewallDraft {
  readonly protocol: Protocol | null;
  readonly port: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly position: SourcePosition;
}

export interface UnderlayDraft {
  readonly nodeCidrs?: readonly Cidr[] | undefined;
  readonly nodeCidrPosition?: SourcePosition | undefined;
  readonly subnets?: readonly SubnetDraft[] | undefined;
  readonly firewall?: readonly FirewallDraft[] | undefined;
  readonly commands?: readonly CommandLine[] | undefined;
}

export interface ClusterDraft {
  readonly name?: string | undefined;
  readonly podCidrs?: readonly Cidr[] | undefined;
  readonly serviceCidrs?: readonly Cidr[] | undefined;
  readonly dnsDomain?: string | undefined;
  readonly kubernetesVersion?: { readonly major: number; readonly minor: number } | undefined;
  /** Where a range is given. */
  readonly rangesPosition?: SourcePosition | undefined;
}

/** Something that a step takes away. */
export interface DeletionDraft {
  readonly kind: 'Pod' | 'Service' | 'Node' | 'External' | 'EndpointSlice' | 'Ingress' | WorkloadDraft['kind'];
  /** "" where the kind has none. */
  readonly namespace: string;
  readonly name: string;
  readonly position: SourcePosition;
}

/** An operator's command of a step; `host` as written. */
export interface StepCommandDraft {
  readonly host: string;
  readonly line: CommandLine;
}

/** An entry of `steps`, before anything is filled in. */
export interface StepDraft {
  /** undefined: its number serves. */
  readonly name: string | undefined;
  /** Milliseconds that pass first. */
  readonly after: number;
  readonly deletions: readonly DeletionDraft[];
  /** Objects that are added, or changed where one of the name is there; nothing but objects is set. */
  readonly changes: Drafts;
  readonly commands: readonly StepCommandDraft[];
  readonly checks: readonly Check[];
  readonly position: SourcePosition;
}

/** Everything the files say, before anything is filled in. Entries of one name are already one. */
export interface Drafts {
  readonly cluster: ClusterDraft;
  readonly cni: CniDraft | undefined;
  /** The KubeProxyConfiguration object. */
  readonly kubeProxyObject: KubeProxyDraft | undefined;
  readonly kubeProxy: KubeProxyDraft | undefined;
  readonly underlay: UnderlayDraft;
  readonly nodes: readonly NodeDraft[];
  /** In the order of the input; a workload stands where its pods shall. */
  readonly pods: readonly (PodDraft | WorkloadDraft)[];
  readonly services: readonly ServiceDraft[];
  readonly slices: readonly SliceDraft[];
  readonly externals: readonly (ExternalHost & { readonly position: SourcePosition })[];
  readonly ingresses: readonly IngressDraft[];
  readonly ingressClasses: readonly (IngressClass & { readonly position: SourcePosition })[];
  readonly ingress: IngressSettingsDraft | undefined;
  readonly loadBalancer: LoadBalancerDraft | undefined;
  readonly externalDns: readonly ExternalNameDraft[];
  readonly checks: readonly Check[];
  readonly steps: readonly StepDraft[];
  readonly notModelled: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[];
  readonly leftOutPods?: readonly LeftOutPod[];
  readonly flannelConfigMap?: FlannelConfigMapDraft;
  readonly kubeProxyConfigMap?: KubeProxyConfigMapDraft;
}

/** What flannel's ConfigMap says. `where`: its name, for people. */
export interface FlannelConfigMapDraft {
  readonly cni: CniDraft;
  readonly podCidrs: readonly Cidr[];
  readonly where: string;
}

/** What kubeadm's ConfigMap for kube-proxy says. */
export interface KubeProxyConfigMapDraft {
  readonly config: KubeProxyDraft;
  readonly where: string;
}
