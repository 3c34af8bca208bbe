import type { FlannelBackend, KubeProxyConfig, ProxyMode, SourcePosition } from '../kubernetes/model/cluster.ts';
import type { Cidr } from '../net/cidr.ts';

/** The `cni` key. */
export interface CniDraft {
  readonly plugin: 'none' | 'docker' | 'bridge' | 'flannel' | 'weave';
  readonly backend?: FlannelBackend | undefined;
  readonly vni?: number | undefined;
  readonly port?: number | undefined;
  readonly mtu?: number | undefined;
  readonly podMtu?: number | undefined;
  readonly ipMasq?: boolean | undefined;
  readonly iptablesForwardRules?: boolean | undefined;
  readonly hairpinMode?: boolean | undefined;
  /** flanneld's --iface, in order. */
  readonly iface?: readonly string[] | undefined;
  readonly npc?: boolean | undefined;
  readonly position: SourcePosition;
}

/** What a KubeProxyConfiguration, or the `kubeProxy` key, says. */
export interface KubeProxyDraft {
  readonly mode?: ProxyMode | undefined;
  readonly clusterCidrs?: readonly Cidr[] | undefined;
  readonly detectLocalMode?: KubeProxyConfig['detectLocalMode'] | undefined;
  readonly bridgeInterface?: string | undefined;
  readonly interfaceNamePrefix?: string | undefined;
  readonly nodePortAddresses?: readonly string[] | undefined;
  readonly masqueradeAll?: boolean | undefined;
  readonly masqueradeBit?: number | undefined;
  readonly localhostNodePorts?: boolean | undefined;
  readonly ipvsScheduler?: string | undefined;
  readonly ipvsStrictArp?: boolean | undefined;
  readonly ipvsExcludeCidrs?: readonly Cidr[] | undefined;
  /** Milliseconds, 0 where it stays as it is. */
  readonly ipvsTcpTimeout?: number | undefined;
  readonly ipvsTcpFinTimeout?: number | undefined;
  readonly ipvsUdpTimeout?: number | undefined;
  readonly nftablesMasqueradeAll?: boolean | undefined;
  readonly nftablesMasqueradeBit?: number | undefined;
  readonly conntrackTcpBeLiberal?: boolean | undefined;
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined;
  readonly position: SourcePosition;
}
