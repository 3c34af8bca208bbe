import type { CniConfig, KubeProxyConfig, ProxyMode } from '../../kubernetes/model/cluster.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { CniDraft, KubeProxyDraft } from '../draft-config.ts';

/** The CNI with the defaults of its plugin; undefined is flannel's vxlan. */
export function resolveCni(draft: CniDraft | undefined): CniConfig {
  const mtu = draft?.mtu ?? null;
  // Without an overlay of its own, a plugin has one MTU only.
  const podMtu = draft?.podMtu ?? mtu;
  switch (draft?.plugin) {
    case 'none':
      return { plugin: 'none' };
    case 'docker':
      return { plugin: 'docker', mtu: podMtu, hairpinMode: draft.hairpinMode ?? false };
    case 'bridge':
      return { plugin: 'bridge', mtu: podMtu, hairpinMode: draft.hairpinMode ?? false, ipMasq: draft.ipMasq ?? false };
    case 'weave':
      return { plugin: 'weave', mtu: podMtu, hairpinMode: draft.hairpinMode ?? true, npc: draft.npc ?? true };
    case 'flannel':
    case undefined:
      return {
        plugin: 'flannel',
        backend: draft?.backend ?? 'vxlan',
        vni: draft?.vni ?? 1,
        port: draft?.port ?? 8472,
        mtu,
        podMtu: draft?.podMtu ?? null,
        ipMasq: draft?.ipMasq ?? true,
        iptablesForwardRules: draft?.iptablesForwardRules ?? true,
        hairpinMode: draft?.hairpinMode ?? true,
        ...(draft?.iface && { iface: draft.iface }),
      };
  }
}

/**
 * kube-proxy's configuration. A KubeProxyConfiguration object is taken literally (no clusterCIDR: none); without one the cluster's
 * pod ranges are its clusterCIDR. What the short form gives wins over both.
 */
export function resolveKubeProxy(
  object: KubeProxyDraft | undefined,
  short: KubeProxyDraft | undefined,
  podCidrs: readonly Cidr[],
  defaultMode: ProxyMode,
): KubeProxyConfig {
  const pick = <K extends keyof KubeProxyDraft>(key: K): KubeProxyDraft[K] | undefined => short?.[key] ?? object?.[key];
  return {
    mode: pick('mode') ?? defaultMode,
    clusterCidrs: pick('clusterCidrs') ?? (object === undefined ? podCidrs : []),
    detectLocalMode: pick('detectLocalMode') ?? 'ClusterCIDR',
    detectLocal: { bridgeInterface: pick('bridgeInterface') ?? '', interfaceNamePrefix: pick('interfaceNamePrefix') ?? '' },
    nodePortAddresses: pick('nodePortAddresses') ?? [],
    iptables: {
      masqueradeAll: pick('masqueradeAll') ?? false,
      masqueradeBit: pick('masqueradeBit') ?? 14,
      localhostNodePorts: pick('localhostNodePorts') ?? true,
    },
    ipvs: {
      scheduler: pick('ipvsScheduler') ?? 'rr',
      strictArp: pick('ipvsStrictArp') ?? false,
      excludeCidrs: pick('ipvsExcludeCidrs') ?? [],
      ...timeout('tcpTimeout', pick('ipvsTcpTimeout')),
      ...timeout('tcpFinTimeout', pick('ipvsTcpFinTimeout')),
      ...timeout('udpTimeout', pick('ipvsUdpTimeout')),
    },
    // What is said for iptables alone stands for nftables too, so that `--proxy-mode` compares like with like.
    nftables: {
      masqueradeAll: pick('nftablesMasqueradeAll') ?? pick('masqueradeAll') ?? false,
      masqueradeBit: pick('nftablesMasqueradeBit') ?? pick('masqueradeBit') ?? 14,
    },
    conntrackTcpBeLiberal: pick('conntrackTcpBeLiberal') ?? false,
    featureGates: { ...object?.featureGates, ...short?.featureGates },
  };
}

/** 0 leaves the kernel's. */
function timeout<K extends string>(key: K, milliseconds: number | undefined): { readonly [key in K]?: number } {
  return milliseconds === undefined || milliseconds === 0 ? {} : ({ [key]: milliseconds } as { readonly [key in K]: number });
}
