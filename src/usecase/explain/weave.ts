import { explanation } from './explanation.ts';
import type { Explanation } from './explanation.ts';
import type { RuleText } from './rule-text.ts';

/** Explains rules of Weave Net's router (WEAVE, WEAVE-EXPOSE, those for its bridge) and of its policy controller (WEAVE-NPC); null for others. */
export function explainWeaveRule(table: string, chain: string, rule: RuleText): Explanation | null {
  if (rule.comment === 'Block non-local access to Weave Net control port')
    return say('control-port', 'keeps strangers from the port by which Weave Net is controlled');
  if (table === 'nat') {
    if (rule.target === 'WEAVE') return say('masquerade-jump', 'Weave Net decides here what of the pods’ traffic is masqueraded');
    return chain === 'WEAVE' ? masqueradeRule(rule) : null;
  }
  if (chain.startsWith('WEAVE-NPC')) return policyRule(chain, rule);
  if (chain === 'WEAVE-EXPOSE') return say('expose', 'what is for a pod is let through');
  const jump = JUMPS.get(rule.target);
  if (jump) return say(...jump);
  return chain === 'FORWARD' ? forwardRule(rule) : null;
}

const JUMPS: ReadonlyMap<string, readonly [role: string, sentence: string]> = new Map([
  ['WEAVE-NPC-EGRESS', ['egress-policy', 'Weave Net’s policy controller looks here at what pods send']],
  ['WEAVE-NPC', ['ingress-policy', 'Weave Net’s policy controller looks here at what pods are sent']],
  ['WEAVE-EXPOSE', ['expose-jump', 'Weave Net lets traffic to pods through here']],
]);

function masqueradeRule(rule: RuleText): Explanation | null {
  if (rule.target === 'RETURN') {
    return rule.has('--match-set')
      ? say('to-node', 'what comes from outside to pods of this node keeps its source')
      : say('multicast', 'multicast of pods stays as it is');
  }
  if (rule.target !== 'MASQUERADE') return null;
  return rule.has(' ! -s ')
    ? say(
        'masquerade-in',
        'what comes to pods from outside the pod network is masqueraded, so that the answer comes back this way',
      )
    : say('masquerade-out', 'what pods send out of the pod network gets the node’s address');
}

function forwardRule(rule: RuleText): Explanation | null {
  const [from, to] = [/(?<!! )-i weave /.test(`${rule.body} `), /(?<!! )-o weave /.test(`${rule.body} `)];
  switch (rule.target) {
    case 'NFLOG':
      return to ? say('policy-log', 'tells the policy controller’s log of what is dropped next') : null;
    case 'DROP':
      return to ? say('policy-drop', 'drops what is for a pod and what no policy has let through') : null;
    case 'ACCEPT':
      if (from && to) return say('within', 'what stays within the pod network is let through');
      if (from) return say('forward-out', 'what pods send out is let through');
      return to ? say('forward-replies', 'answers to pods are let through') : null;
    default:
      return null;
  }
}

function policyRule(chain: string, rule: RuleText): Explanation {
  if (rule.has('--physdev-out')) return say('to-other-node', 'it goes to another node, whose controller will look at it');
  if (rule.has('--physdev-in')) return say('from-other-node', 'it comes from another node, whose controller has looked at it');
  if (rule.has('--state RELATED,ESTABLISHED')) return say('established', 'a connection that was let through goes on');
  if (rule.has('-d 224.0.0.0/4')) return say('multicast', 'multicast is no matter of policies');
  if (rule.has('--dst-type LOCAL')) return say('to-this-node', 'what is for the node itself is no matter of policies');
  if (rule.target === 'WEAVE-NPC-DEFAULT' || rule.target === 'WEAVE-NPC-EGRESS-DEFAULT')
    return say('isolation', 'pods that no policy selects are looked for here');
  if (rule.target === 'WEAVE-NPC-INGRESS' || rule.target === 'WEAVE-NPC-EGRESS-CUSTOM')
    return say('policies', 'the policies’ own rules are here');
  if (chain === 'WEAVE-NPC-EGRESS-ACCEPT') return say('mark', 'marks what may leave the pod; ingress policies are still to come');
  if (rule.comment.startsWith('DefaultAllow ')) return say('default-allow', 'no policy selects the pod, so all is allowed');
  return say('policy', 'a rule of a NetworkPolicy');
}

function say(role: string, sentence: string): Explanation {
  return explanation('weave', role, sentence);
}
