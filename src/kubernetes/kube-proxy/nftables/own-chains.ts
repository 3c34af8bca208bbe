import { cidrContains, cidrOf } from '../../../net/cidr.ts';
import { familyOf, formatIp } from '../../../net/ip.ts';
import { formatPrefixSet } from '../../../kernel/netfilter/nftables/intervals.ts';
import { markTexts } from './marks.ts';
import { affinitySet, endpointChain, portRule } from './port-view.ts';
import type { NftChain, NftRule } from '../../../kernel/netfilter/nftables/ruleset.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { PortView } from './port-view.ts';

/** The chains of one service port in the order in which kube-proxy makes them (pkg/proxy/nftables syncProxyRules). */
export function ownChains(view: PortView): readonly NftChain[] {
  const { port, selection, base } = view;
  const chains: NftChain[] = [];
  const add = (name: string, rules: readonly NftRule[]): void => {
    chains.push({ name, base: null, comment: null, rules });
  };
  if (view.usesEndpointChains) for (const e of selection.reachable) add(endpointChain(view, e), endpointRules(view, e));
  if (selection.cluster.length > 0) add(`service-${base}`, policyRules(view, selection.cluster, !port.internalLocal));
  if (selection.local.length > 0) add(`local-${base}`, policyRules(view, selection.local, port.internalLocal));
  if (view.usesExternalChain) add(`external-${base}`, externalRules(view));
  if (view.usesFirewall) add(`firewall-${base}`, [firewallRule(view)]);
  return chains;
}

/** The choice among endpoints; in 1.30 with the masquerade test of the cluster IP in front, in the chain that the cluster IP leads to. */
function policyRules(view: PortView, endpoints: readonly ProxyEndpoint[], isInternal: boolean): readonly NftRule[] {
  const { generation } = view.settings;
  const masquerade = generation === 'alpha' && isInternal ? internalMasqueradeRules(view) : [];
  return [...masquerade, ...(view.usesEndpointChains ? jumpRules(view, endpoints) : [dnatRule(view, endpoints)])];
}

function internalMasqueradeRules(view: PortView): readonly NftRule[] {
  const { port, settings } = view;
  const { ip, masqueradeAll, detector } = settings;
  if (!masqueradeAll && detector === null) return [];
  const other = masqueradeAll || detector === null ? '' : `${detector.other} `;
  const target = `${ip} daddr ${formatIp(port.clusterIp)} ${port.protocol} dport ${port.port}`;
  return [portRule(view, 'masquerade-mark', `${target} ${other}jump mark-for-masquerade`)];
}

/** The remembered endpoint first, then one at random. */
function jumpRules(view: PortView, endpoints: readonly ProxyEndpoint[]): readonly NftRule[] {
  const { ip } = view.settings;
  const chains = endpoints.map((endpoint) => endpointChain(view, endpoint));
  const affinity =
    view.port.affinitySeconds === null
      ? []
      : endpoints.map((e, i) => portRule(view, 'affinity', `${ip} saddr @${affinitySet(view, e)} goto ${chains[i]!}`));
  const elements = chains.map((chain, i) => `${i} : goto ${chain}`).join(', ');
  return [...affinity, portRule(view, 'balance', `numgen random mod ${endpoints.length} vmap { ${elements} }`)];
}

/** Address and port of an endpoint from one map; nft 1.0.6 lists it without the "addr . port" with which kube-proxy enters it. */
function dnatRule(view: PortView, endpoints: readonly ProxyEndpoint[]): NftRule {
  const { ip } = view.settings;
  const elements = endpoints.map((e, i) => `${i} : ${e.ip} . ${e.port}`).join(', ');
  const choice = `numgen random mod ${endpoints.length} map { ${elements} }`;
  return portRule(view, 'endpoint', `meta l4proto ${view.port.protocol} dnat ${ip} to ${choice}`);
}

/** Hairpin masquerading (in 1.30; later a rule of postrouting does it), the client remembered, the destination rewritten. */
function endpointRules(view: PortView, endpoint: ProxyEndpoint): readonly NftRule[] {
  const { port, settings } = view;
  const { ip, family, generation } = settings;
  const destination = family === 4 ? `${endpoint.ip}:${endpoint.port}` : `[${endpoint.ip}]:${endpoint.port}`;
  const hairpin = `${ip} saddr ${endpoint.ip} jump mark-for-masquerade`;
  return [
    ...(generation === 'alpha' ? [portRule(view, 'hairpin-mark', hairpin)] : []),
    ...(port.affinitySeconds === null
      ? []
      : [portRule(view, 'affinity', `update @${affinitySet(view, endpoint)} { ${ip} saddr }`)]),
    portRule(view, 'endpoint', `meta l4proto ${port.protocol} dnat to ${destination}`),
  ];
}

/** What comes by node port, external or load balancer IP. */
function externalRules(view: PortView): readonly NftRule[] {
  const { port, selection, settings, base } = view;
  const mark = settings.generation === 'alpha' ? 'jump mark-for-masquerade' : markTexts(settings.masqueradeBit).set;
  const rules: NftRule[] = [];
  if (port.externalLocal) {
    if (settings.detector !== null) {
      const text = `${settings.detector.local} goto service-${base} comment "short-circuit pod traffic"`;
      rules.push(portRule(view, 'pod-short-circuit', text));
    }
    rules.push(
      portRule(view, 'masquerade-mark', `fib saddr type local ${mark} comment "masquerade local traffic"`),
      portRule(view, 'local-short-circuit', `fib saddr type local goto service-${base} comment "short-circuit local traffic"`),
    );
  } else {
    rules.push(portRule(view, 'masquerade-mark', settings.generation === 'alpha' ? mark : `${mark} comment "masquerade"`));
  }
  if (selection.hasExternal) {
    rules.push(portRule(view, 'external-policy', `goto ${port.externalLocal ? 'local-' : 'service-'}${base}`));
  }
  return rules;
}

/** Drops what is in none of loadBalancerSourceRanges. A node that is in one also reaches the balancer's address from that address. */
function firewallRule(view: PortView): NftRule {
  const { port, settings } = view;
  const fromNode = port.sourceRanges.some((range) => cidrContains(range, settings.nodeIp));
  const own = fromNode ? port.loadBalancerIps.map((address) => cidrOf(address, familyOf(address) === 4 ? 32 : 128)) : [];
  const sources = formatPrefixSet([...port.sourceRanges, ...own]);
  return portRule(view, 'source-range', `${settings.ip} saddr != ${sources} drop`);
}
