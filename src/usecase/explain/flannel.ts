import { explanation } from './explanation.ts';
import type { Explanation } from './explanation.ts';
import type { RuleText } from './rule-text.ts';

/** Explains flannel's rules (FLANNEL-POSTRTG, FLANNEL-FWD, and the jumps to them); null for others. */
export function explainFlannelRule(_table: string, chain: string, rule: RuleText): Explanation | null {
  if (rule.target === 'FLANNEL-POSTRTG')
    return say('masquerade-jump', 'flannel decides here what of the pods’ traffic is masqueraded');
  if (rule.target === 'FLANNEL-FWD') return say('forward-jump', 'flannel lets the pods’ traffic through here');
  if (chain === 'FLANNEL-FWD' && rule.target === 'ACCEPT') return say('forward-accept', 'flannel lets pod traffic through');
  return chain === 'FLANNEL-POSTRTG' ? masqueradeRule(rule) : null;
}

function masqueradeRule(rule: RuleText): Explanation | null {
  const fromOutside = rule.has(' ! -s ');
  if (rule.target === 'MASQUERADE') {
    return fromOutside
      ? say(
          'masquerade-in',
          'what comes to pods from outside the pod network is masqueraded, so that the answer comes back this way',
        )
      : say('masquerade-out', 'what pods send out of the pod network gets the node’s address');
  }
  if (rule.target !== 'RETURN') return null;
  if (rule.has('-m mark')) return say('marked-by-kube-proxy', 'kube-proxy has marked it and masquerades it itself');
  if (fromOutside) return say('from-outside', 'what comes from outside to pods of this node keeps its source');
  const source = rule.option('-s');
  const destination = rule.option('-d');
  return isNarrower(destination, source)
    ? say('to-node', 'pod to pod of this node: no masquerading')
    : say('to-cluster', 'pod of this node to pod: no masquerading');
}

function isNarrower(a: string | null, b: string | null): boolean {
  const length = (cidr: string | null): number => Number(cidr?.split('/')[1] ?? 0);
  return length(a) > length(b);
}

function say(role: string, sentence: string): Explanation {
  return explanation('flannel', role, sentence);
}
