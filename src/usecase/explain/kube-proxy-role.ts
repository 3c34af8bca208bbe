import type { ProxyRole } from '../../kubernetes/services/proxy-role.ts';
import type { RuleText } from './rule-text.ts';

/**
 * What a rule in one of kube-proxy's chains is for, read from chain, comment and target, so that it works for dumps of any version.
 * null: not a rule that kube-proxy writes there.
 */
export function kubeProxyRole(table: string, chain: string, rule: RuleText): ProxyRole | null {
  switch (chain) {
    case 'KUBE-SERVICES':
      return table === 'nat' ? entryRole(rule) : deadEndRole(rule);
    case 'KUBE-EXTERNAL-SERVICES':
      return deadEndRole(rule);
    case 'KUBE-NODEPORTS':
      if (table !== 'nat') return rule.comment.endsWith('health check node port') ? 'health-check' : deadEndRole(rule);
      return marksForMasquerade(rule) ? 'masquerade-mark' : isServiceChain(rule.target) ? 'node-port' : null;
    case 'KUBE-PROXY-FIREWALL':
      if (rule.target === 'KUBE-SOURCE-RANGES-FIREWALL') return 'dispatch';
      return rule.comment.includes('traffic not accepted by KUBE-FW-') ? 'source-range' : null;
    case 'KUBE-FIREWALL':
      if (rule.comment === 'block incoming localnet connections') return 'localnet-guard';
      return rule.comment === 'kubernetes firewall for dropping marked packets' ? 'marked-drop' : null;
    case 'KUBE-FORWARD':
      return forwardRole(rule);
    case 'KUBE-POSTROUTING':
      if (rule.target === 'MASQUERADE') return 'masquerade';
      return rule.target === 'RETURN' ? 'unmarked' : rule.target === 'MARK' ? 'clear-mark' : null;
    case 'KUBE-MARK-MASQ':
      return rule.target === 'MARK' ? 'set-mark' : null;
    case 'KUBE-MARK-DROP':
      return rule.target === 'MARK' ? 'drop-mark' : null;
    case 'KUBE-PORTALS-CONTAINER':
    case 'KUBE-PORTALS-HOST':
    case 'KUBE-NODEPORT-CONTAINER':
    case 'KUBE-NODEPORT-HOST':
    case 'KUBE-NODEPORT-NON-LOCAL':
      return userspaceRole(chain, rule);
    case 'KUBE-LOAD-BALANCER':
    case 'KUBE-NODE-PORT':
    case 'KUBE-SOURCE-RANGES-FIREWALL':
    case 'KUBE-IPVS-FILTER':
    case 'KUBE-IPVS-OUT-FILTER':
      return ipvsRole(chain, rule);
    default:
      return hashedChainRole(chain, rule);
  }
}

/**
 * Chains that kube-proxy has in userspace mode only. A load balancer IP has the same rule there as a cluster IP, so both are called by the
 * latter's name.
 */
function userspaceRole(chain: string, rule: RuleText): ProxyRole | null {
  if (chain === 'KUBE-NODEPORT-NON-LOCAL') return rule.target === 'ACCEPT' ? 'proxy-port' : null;
  if (rule.target !== 'REDIRECT' && rule.target !== 'DNAT') return null;
  if (chain.startsWith('KUBE-NODEPORT-')) return 'node-port';
  return rule.has('--dst-type LOCAL') || rule.has('--physdev-is-in') ? 'external-ip' : 'cluster-ip';
}

/** Chains that kube-proxy has in IPVS mode only. */
function ipvsRole(chain: string, rule: RuleText): ProxyRole | null {
  const fromRanges = chain === 'KUBE-SOURCE-RANGES-FIREWALL';
  switch (rule.target) {
    case 'RETURN':
      return fromRanges ? 'source-range-allow' : 'leave-alone';
    case 'KUBE-MARK-MASQ':
      return 'masquerade-mark';
    case 'ACCEPT':
      return chain === 'KUBE-NODE-PORT' ? 'health-check' : null;
    case 'REJECT':
      return chain === 'KUBE-IPVS-FILTER' ? 'unknown-port' : null;
    case 'DROP':
      return fromRanges || chain === 'KUBE-IPVS-OUT-FILTER' ? 'source-range' : null;
    default:
      return null;
  }
}

/** KUBE-SERVICES in IPVS mode: all services at once, by sets. */
function setRole(rule: RuleText): ProxyRole | null {
  if (!rule.has('--match-set') && !rule.has('-s 127.0.0.0/8') && !rule.has('-s ::1') && rule.target !== 'KUBE-NODE-PORT')
    return null;
  switch (rule.target) {
    case 'RETURN':
      return 'leave-alone';
    case 'KUBE-LOAD-BALANCER':
      return 'dispatch';
    case 'KUBE-NODE-PORT':
      return 'node-ports';
    case 'ACCEPT':
      return 'service-accept';
    default:
      return null;
  }
}

function entryRole(rule: RuleText): ProxyRole | null {
  const bySet = setRole(rule);
  if (bySet !== null) return bySet;
  if (rule.comment.startsWith('kubernetes service nodeports')) return 'node-ports';
  if (marksForMasquerade(rule)) return 'masquerade-mark';
  if (!isServiceChain(rule.target)) return null;
  if (rule.comment.endsWith(' cluster IP')) return 'cluster-ip';
  if (rule.comment.endsWith(' external IP')) return 'external-ip';
  return rule.comment.endsWith(' loadbalancer IP') ? 'load-balancer-ip' : null;
}

function deadEndRole(rule: RuleText): ProxyRole | null {
  if (rule.comment.endsWith('has no endpoints')) return 'no-endpoints';
  return rule.comment.endsWith('has no local endpoints') ? 'no-local-endpoints' : null;
}

function forwardRole(rule: RuleText): ProxyRole | null {
  if (rule.target === 'DROP') return rule.has('--ctstate INVALID') ? 'invalid-drop' : null;
  if (rule.target !== 'ACCEPT') return null;
  if (rule.has('-m mark')) return 'forward-accept';
  return rule.has('RELATED,ESTABLISHED') ? 'established-accept' : null;
}

function hashedChainRole(chain: string, rule: RuleText): ProxyRole | null {
  switch (/^KUBE-(?:SVC|SVL|EXT|XLB|FW|SEP)-/.exec(chain)?.[0]) {
    case 'KUBE-SVC-':
    case 'KUBE-SVL-':
      return marksForMasquerade(rule) ? 'masquerade-mark' : choiceRole(rule);
    case 'KUBE-EXT-':
    case 'KUBE-XLB-':
      return externalRole(rule);
    case 'KUBE-FW-':
      if (rule.target === 'KUBE-MARK-DROP') return 'source-range';
      if (marksForMasquerade(rule)) return 'masquerade-mark';
      return rule.target === '' ? 'source-range-end' : 'source-range-allow';
    case 'KUBE-SEP-':
      if (rule.target === 'DNAT') return 'endpoint';
      return marksForMasquerade(rule) || rule.target === 'MARK' ? 'hairpin-mark' : null;
    default:
      return null;
  }
}

function externalRole(rule: RuleText): ProxyRole | null {
  if (marksForMasquerade(rule)) return 'masquerade-mark';
  if (rule.target === 'KUBE-MARK-DROP') return 'no-local-endpoints';
  if (rule.has('--src-type LOCAL')) return 'local-short-circuit';
  if (rule.comment.startsWith('pod traffic for') || rule.comment.startsWith('Redirect pods')) return 'pod-short-circuit';
  return choiceRole(rule) ?? (isServiceChain(rule.target) ? 'external-policy' : null);
}

function choiceRole(rule: RuleText): ProxyRole | null {
  if (!rule.target.startsWith('KUBE-SEP-')) return null;
  return rule.has('-m recent --rcheck') ? 'affinity' : 'balance';
}

function marksForMasquerade(rule: RuleText): boolean {
  return rule.target === 'KUBE-MARK-MASQ';
}

function isServiceChain(target: string): boolean {
  return /^KUBE-(?:SVC|SVL|EXT|XLB|FW)-/.test(target);
}
