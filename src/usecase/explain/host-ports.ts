import { explanation } from './explanation.ts';
import type { Explanation } from './explanation.ts';
import type { RuleText } from './rule-text.ts';

/** Explains the rules of CNI's portmap plugin (hostPort: CNI-HOSTPORT-*, CNI-DN-*); null for others. */
export function explainPortmapRule(_table: string, chain: string, rule: RuleText): Explanation | null {
  if (rule.target === 'CNI-HOSTPORT-DNAT')
    return say('host-port-jump', 'what goes to an address of this node may be for a hostPort');
  if (rule.target === 'CNI-HOSTPORT-MASQ') return say('masquerade-jump', 'marked hostPort traffic is masqueraded here');
  if (chain === 'CNI-HOSTPORT-SETMARK') return say('set-mark', 'sets portmap’s masquerade mark');
  if (chain === 'CNI-HOSTPORT-MASQ') return say('masquerade', 'gives marked hostPort traffic the address of the outgoing device');
  if (chain === 'CNI-HOSTPORT-DNAT') {
    const ports = rule.option('--dports') ?? rule.option('--dport') ?? '';
    return say('host-port', `host port ${ports} leads to a pod`);
  }
  return chain.startsWith('CNI-DN-') ? podRule(rule) : null;
}

function podRule(rule: RuleText): Explanation | null {
  if (rule.target === 'DNAT') return say('dnat', `sends the packet to the pod, ${rule.option('--to-destination') ?? ''}`);
  if (rule.target !== 'CNI-HOSTPORT-SETMARK') return null;
  return rule.option('-s')?.startsWith('127.')
    ? say('masquerade-localhost', 'what the node sends to itself on 127.0.0.1 is masqueraded, so that the pod can answer')
    : say(
        'masquerade-own-subnet',
        'what pods of this node send by their own node’s port is masqueraded, so that answers come back by the node',
      );
}

function say(role: string, sentence: string): Explanation {
  return explanation('portmap', role, sentence);
}
