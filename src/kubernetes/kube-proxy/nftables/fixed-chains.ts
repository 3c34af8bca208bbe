import { markTexts } from './marks.ts';
import { proxyRule } from './port-view.ts';
import type { NftBaseChain, NftChain, NftHook, NftRule } from '../../../kernel/netfilter/nftables/ruleset.ts';
import type { NftSettings } from './settings.ts';

/** nft's dstnat, srcnat and filter. */
const DNAT = -100;
const SNAT = 100;
const FILTER = 0;
const PRE_DNAT = DNAT - 10;

/** Chains on hooks, and those they lead to: nothing here depends on services. */
export function fixedChains(settings: NftSettings): readonly NftChain[] {
  return [...(settings.generation === 'alpha' ? alphaBaseChains() : currentBaseChains()), ...commonChains(settings)];
}

/** 1.30: all filtering happens before DNAT, so that rules see the service's address. */
function alphaBaseChains(): readonly NftChain[] {
  return [
    base('filter-prerouting', 'filter', 'prerouting', PRE_DNAT, [jump('firewall-check')]),
    base('filter-input', 'filter', 'input', PRE_DNAT, [jump('nodeport-endpoints-check'), jump('service-endpoints-check')]),
    base('filter-forward', 'filter', 'forward', PRE_DNAT, [jump('service-endpoints-check'), jump('cluster-ips-check')]),
    base('filter-output', 'filter', 'output', PRE_DNAT, [jump('service-endpoints-check'), jump('firewall-check')]),
    base('filter-output-post-dnat', 'filter', 'output', DNAT + 10, [jump('cluster-ips-check')]),
    ...natBaseChains(),
  ];
}

/** From 1.31 on only the source ranges are checked before DNAT. */
function currentBaseChains(): readonly NftChain[] {
  return [
    base('filter-prerouting-pre-dnat', 'filter', 'prerouting', PRE_DNAT, [jump('firewall-check')]),
    base('filter-output-pre-dnat', 'filter', 'output', PRE_DNAT, [jump('firewall-check')]),
    base('filter-input', 'filter', 'input', FILTER, [jump('nodeport-endpoints-check'), jump('service-endpoints-check')]),
    base('filter-forward', 'filter', 'forward', FILTER, [jump('service-endpoints-check'), jump('cluster-ips-check')]),
    base('filter-output', 'filter', 'output', FILTER, [jump('service-endpoints-check'), jump('cluster-ips-check')]),
    ...natBaseChains(),
  ];
}

function natBaseChains(): readonly NftChain[] {
  return [
    base('nat-prerouting', 'nat', 'prerouting', DNAT, [proxyRule('jump', 'jump services')]),
    base('nat-output', 'nat', 'output', DNAT, [proxyRule('jump', 'jump services')]),
    base('nat-postrouting', 'nat', 'postrouting', SNAT, [proxyRule('jump', 'jump masquerading')]),
  ];
}

function commonChains(settings: NftSettings): readonly NftChain[] {
  const { ip, generation, masqueradeBit } = settings;
  const byAddress = `${ip} daddr . meta l4proto . th dport`;
  const atNode = settings.nodePortIps === null ? notLoopback(settings) : `${ip} daddr @nodeport-ips`;
  const mark = markTexts(masqueradeBit);
  return [
    chain('nodeport-endpoints-check', [dispatch(`${atNode} meta l4proto . th dport vmap @no-endpoint-nodeports`)]),
    chain('service-endpoints-check', [dispatch(`${byAddress} vmap @no-endpoint-services`)]),
    chain('firewall-check', [dispatch(`${byAddress} vmap @firewall-ips`)]),
    chain('services', servicesRules(settings, byAddress, atNode)),
    chain('masquerading', generation === 'alpha' ? alphaMasquerading(settings) : currentMasquerading(settings)),
    chain('cluster-ips-check', clusterIpsRules(settings)),
    ...(generation === 'alpha' ? [chain('mark-for-masquerade', [proxyRule('set-mark', mark.set)])] : []),
    chain('reject-chain', [proxyRule('no-endpoints', 'reject')], 'helper for @no-endpoint-services / @no-endpoint-nodeports'),
  ];
}

function servicesRules(settings: NftSettings, byAddress: string, atNode: string): readonly NftRule[] {
  const local = settings.nodePortIps === null ? 'fib daddr type local ' : '';
  return [
    ...(settings.generation === 'alpha' ? [] : clusterIpMasquerade(settings)),
    dispatch(`${byAddress} vmap @service-ips`),
    proxyRule('node-ports', `${local}${atNode} meta l4proto . th dport vmap @service-nodeports`),
  ];
}

/** Later releases test once what 1.30 tests in the chains of each service. */
function clusterIpMasquerade({ ip, masqueradeAll, masqueradeBit, detector }: NftSettings): readonly NftRule[] {
  const { set } = markTexts(masqueradeBit);
  const rule = (test: string, comment: string): NftRule =>
    proxyRule('masquerade-mark', `${ip} daddr @cluster-ips ${test}${set} comment "${comment}"`);
  if (masqueradeAll) return [rule('', 'masquerade all clusterIP traffic')];
  return detector === null ? [] : [rule(`${detector.other} `, 'masquerade clusterIP traffic from outside cluster')];
}

function alphaMasquerading({ masqueradeBit }: NftSettings): readonly NftRule[] {
  const mark = markTexts(masqueradeBit);
  return [
    proxyRule('unmarked', `${mark.isNotSet} return`),
    proxyRule('clear-mark', mark.clear),
    proxyRule('masquerade', 'masquerade fully-random'),
  ];
}

function currentMasquerading({ ip, masqueradeBit }: NftSettings): readonly NftRule[] {
  const mark = markTexts(masqueradeBit);
  const toItself = `${ip} saddr . ${ip} daddr . meta l4proto . th dport @hairpin-connections`;
  return [
    proxyRule('masquerade', `${mark.isSet} ${mark.clear} masquerade fully-random`),
    proxyRule('hairpin-mark', `ct status dnat ${toItself} masquerade fully-random`),
  ];
}

function clusterIpsRules({ ip, serviceRanges }: NftSettings): readonly NftRule[] {
  const reject = `${ip} daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"`;
  const drop = `${ip} daddr ${serviceRanges} drop comment "Drop traffic to unallocated ClusterIPs"`;
  return [proxyRule('unknown-port', reject), ...(serviceRanges === null ? [] : [proxyRule('unallocated-ip', drop)])];
}

function notLoopback({ family }: NftSettings): string {
  return family === 4 ? 'ip daddr != 127.0.0.0/8' : 'ip6 daddr != ::1';
}

function base(name: string, type: NftBaseChain['type'], hook: NftHook, priority: number, rules: readonly NftRule[]): NftChain {
  return { name, base: { type, hook, device: null, priority, policy: 'accept' }, comment: null, rules };
}

function chain(name: string, rules: readonly NftRule[], comment: string | null = null): NftChain {
  return { name, base: null, comment, rules };
}

function jump(to: string): NftRule {
  return proxyRule('jump', `ct state new jump ${to}`);
}

function dispatch(text: string): NftRule {
  return proxyRule('dispatch', text);
}
