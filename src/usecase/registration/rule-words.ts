import type { RuleText } from '../explain/rule-text.ts';

/** What an entry of a shared chain or map does, short; `fallback`: the long sentence of a role without a short one. */
export function entrySentence(role: string, fallback: string): string {
  return ENTRIES[role] ?? fallback;
}

const ENTRIES: Readonly<Record<string, string>> = {
  'cluster-ip': 'cluster IP',
  'external-ip': 'external IP',
  'load-balancer-ip': 'balancer’s IP',
  'node-port': 'node port',
  'no-endpoints': 'refused: no endpoint',
  'no-local-endpoints': 'dropped: no endpoint on this node',
  'source-range': 'dropped: not in loadBalancerSourceRanges',
  'health-check': 'lets the balancer’s health check in',
  'proxy-port': 'lets in what has been sent to kube-proxy',
};

/**
 * What a rule of a service's own chain does, short enough to stand beside a chain's name.
 * @param choices endpoints among which the chain chooses
 */
export function stepSentence(role: string, rule: RuleText, fallback: string, choices: number): string {
  switch (role) {
    case 'masquerade-mark':
      return rule.has(' ! -s ') || rule.has(' ! -i ') ? 'mark for masquerading: not from a pod' : 'mark for masquerading';
    case 'balance':
      return choices === 1 ? 'the only one' : shareOf(rule);
    case 'affinity':
      return `seen in the last ${rule.option('--seconds') ?? ''} s: keeps`;
    case 'pod-short-circuit':
      return 'from a pod: all endpoints';
    case 'local-short-circuit':
      return 'from the node itself: all endpoints';
    case 'external-policy':
      return rule.target.startsWith('KUBE-SVL-') ? 'from outside: endpoints here only' : 'to the endpoints';
    case 'source-range-allow':
      return `from ${rule.option('-s') ?? 'an allowed range'}`;
    case 'source-range-end':
      return 'from elsewhere: dropped later, by KUBE-PROXY-FIREWALL';
    default:
      return fallback;
  }
}

/** "1 in 3", and for the last one "the rest". */
function shareOf(rule: RuleText): string {
  const probability = rule.option('--probability');
  return probability === null ? 'the rest' : `1 in ${Math.round(1 / Number(probability))}`;
}
