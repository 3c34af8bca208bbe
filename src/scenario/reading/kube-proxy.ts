import type { KubeProxyConfig, ProxyMode } from '../../kubernetes/model/cluster.ts';
import type { KubeProxyDraft } from '../draft-config.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';
import { readCidrs } from './addresses.ts';
import { parseDuration } from './duration.ts';
import type { Reader } from './reader.ts';

/** The fields of KubeProxyConfiguration (kubeproxy.config.k8s.io/v1alpha1); most decide nothing here. */
export const KUBE_PROXY_KEYS: readonly string[] = [
  'mode',
  'clusterCIDR',
  'detectLocalMode',
  'detectLocal',
  'nodePortAddresses',
  'iptables',
  'ipvs',
  'nftables',
  'conntrack',
  'featureGates',
  'bindAddress',
  'bindAddressHardFail',
  'clientConnection',
  'configSyncPeriod',
  'enableProfiling',
  'healthzBindAddress',
  'hostnameOverride',
  'logging',
  'metricsBindAddress',
  'oomScoreAdj',
  'portRange',
  'showHiddenMetricsForVersion',
  'udpIdleTimeout',
  'winkernel',
  'windowsRunAsService',
];

export const PROXY_MODES: readonly ProxyMode[] = ['iptables', 'ipvs', 'nftables', 'userspace', 'none'];
const DETECT_LOCAL_MODES: readonly KubeProxyConfig['detectLocalMode'][] = [
  'ClusterCIDR',
  'NodeCIDR',
  'BridgeInterface',
  'InterfaceNamePrefix',
];
const NOTHING: Mapping = {};

/** A KubeProxyConfiguration, or the short form's `kubeProxy`. Empty strings mean "not set", as for kube-proxy. */
export function readKubeProxy(reader: Reader, config: Mapping): KubeProxyDraft {
  const iptables = reader.mapping(config, 'iptables') ?? NOTHING;
  const nftables = reader.mapping(config, 'nftables') ?? NOTHING;
  const ipvs = reader.mapping(config, 'ipvs') ?? NOTHING;
  const detectLocal = reader.mapping(config, 'detectLocal') ?? NOTHING;
  return {
    mode: valueAt(config, 'mode') === '' ? undefined : reader.oneOf(config, 'mode', PROXY_MODES),
    clusterCidrs: readCidrs(reader, config, 'clusterCIDR'),
    detectLocalMode:
      valueAt(config, 'detectLocalMode') === '' ? undefined : reader.oneOf(config, 'detectLocalMode', DETECT_LOCAL_MODES),
    bridgeInterface: reader.string(detectLocal, 'bridgeInterface'),
    interfaceNamePrefix: reader.string(detectLocal, 'interfaceNamePrefix'),
    nodePortAddresses: reader.texts(config, 'nodePortAddresses'),
    masqueradeAll: reader.boolean(iptables, 'masqueradeAll'),
    masqueradeBit: reader.integer(iptables, 'masqueradeBit', 0, 31),
    localhostNodePorts: reader.boolean(iptables, 'localhostNodePorts'),
    ipvsScheduler: valueAt(ipvs, 'scheduler') === '' ? undefined : reader.string(ipvs, 'scheduler'),
    ipvsStrictArp: reader.boolean(ipvs, 'strictARP'),
    ipvsExcludeCidrs: reader.items(ipvs, 'excludeCIDRs', (list, i) => readCidrs(reader, list, i))?.flat(),
    ipvsTcpTimeout: readTimeout(reader, ipvs, 'tcpTimeout'),
    ipvsTcpFinTimeout: readTimeout(reader, ipvs, 'tcpFinTimeout'),
    ipvsUdpTimeout: readTimeout(reader, ipvs, 'udpTimeout'),
    nftablesMasqueradeAll: reader.boolean(nftables, 'masqueradeAll'),
    nftablesMasqueradeBit: reader.integer(nftables, 'masqueradeBit', 0, 31),
    conntrackTcpBeLiberal: reader.boolean(reader.mapping(config, 'conntrack') ?? NOTHING, 'tcpBeLiberal'),
    featureGates: readFeatureGates(reader, config),
    position: reader.position(config),
  };
}

function readTimeout(reader: Reader, ipvs: Mapping, key: string): number | undefined {
  const text = reader.string(ipvs, key);
  if (text === undefined) return undefined;
  return parseDuration(text) ?? reader.wrong(ipvs, key, 'a time such as 30s, 15m or 1h') ?? undefined;
}

function readFeatureGates(reader: Reader, config: Mapping): Readonly<Record<string, boolean>> | undefined {
  const gates = reader.mapping(config, 'featureGates');
  if (gates === undefined) return undefined;
  const out: Record<string, boolean> = {};
  for (const name of Object.keys(gates)) {
    const on = reader.boolean(gates, name);
    if (on !== undefined) out[name] = on;
  }
  return out;
}
