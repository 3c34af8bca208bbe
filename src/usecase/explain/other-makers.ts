import { explanation } from './explanation.ts';
import type { Explanation } from './explanation.ts';
import type { RuleText } from './rule-text.ts';

/** Explains rules of CNI's bridge plugin: a masquerade chain "CNI-" and 24 hex digits for each pod. */
export function explainBridgePluginRule(_table: string, chain: string, rule: RuleText): Explanation | null {
  const isPodChain = (name: string): boolean => /^CNI-[0-9a-f]{24}$/.test(name);
  if (isPodChain(rule.target))
    return explanation('bridge-plugin', 'masquerade-jump', 'the bridge plugin masquerades what this pod sends out');
  if (!isPodChain(chain)) return null;
  return rule.target === 'MASQUERADE'
    ? explanation('bridge-plugin', 'masquerade-out', 'what the pod sends out of its network gets the node’s address')
    : explanation('bridge-plugin', 'to-node', 'what the pod sends to pods of its network keeps its source');
}

/** Explains rules that kubelet writes where kube-proxy doesn't. */
export function explainKubeletRule(_table: string, chain: string, rule: RuleText): Explanation | null {
  if (chain !== 'KUBE-FIREWALL') return null;
  if (rule.comment !== 'kubernetes firewall for dropping marked packets') return null;
  return explanation('kubelet', 'marked-drop', 'drops what was marked for it in nat');
}

/** Explains rules of Docker's bridge network. */
export function explainDockerRule(_table: string, chain: string, rule: RuleText): Explanation | null {
  const purpose = DOCKER_JUMPS.get(rule.target) ?? (rule.target.startsWith('DOCKER') ? 'Docker’s rules' : undefined);
  if (purpose !== undefined) return explanation('docker', rule.target === 'DOCKER' ? 'published-jump' : 'jump', purpose);
  if (chain === 'DOCKER') return publishedPort(rule);
  if (chain.startsWith('DOCKER')) return explanation('docker', 'rule', DOCKER_CHAINS.get(chain) ?? 'a rule of Docker');
  return usesDockerBridge(rule) || isHairpin(chain, rule) ? baseChainRule(chain, rule) : null;
}

function baseChainRule(chain: string, rule: RuleText): Explanation | null {
  if (chain === 'FORWARD' && rule.target === 'ACCEPT')
    return explanation('docker', 'forward-accept', 'Docker lets traffic of its bridge through');
  if (chain !== 'POSTROUTING' || rule.target !== 'MASQUERADE') return null;
  return isHairpin(chain, rule)
    ? explanation('docker', 'published-hairpin', 'a container that reaches itself by its published port is masqueraded')
    : explanation('docker', 'masquerade-out', 'what containers send out gets the host’s address');
}

function usesDockerBridge(rule: RuleText): boolean {
  return /-[io] (?:docker0|br-[0-9a-f]{12}|docker_gwbridge) /.test(`${rule.body} `);
}

/** One container's address as source and destination. */
function isHairpin(chain: string, rule: RuleText): boolean {
  const source = rule.option('-s');
  return chain === 'POSTROUTING' && source !== null && source.endsWith('/32') && source === rule.option('-d');
}

function publishedPort(rule: RuleText): Explanation {
  if (rule.target === 'DNAT') {
    return explanation(
      'docker',
      'dnat',
      `a published port: sends the packet to the container, ${rule.option('--to-destination') ?? ''}`,
    );
  }
  if (rule.target === 'RETURN')
    return explanation('docker', 'published-from-bridge', 'containers don’t reach published ports this way');
  if (rule.target === 'ACCEPT')
    return explanation('docker', 'published-accept', 'lets traffic to a published port of a container through');
  return explanation('docker', 'unpublished-drop', 'what goes to a container’s port that is not published');
}

const DOCKER_JUMPS: ReadonlyMap<string, string> = new Map([
  ['DOCKER', 'Docker looks here whether the packet is for a published port'],
  ['DOCKER-USER', 'rules of the administrator, in front of Docker’s'],
  ['DOCKER-ISOLATION-STAGE-1', 'Docker keeps its networks apart from each other here'],
  ['DOCKER-ISOLATION-STAGE-2', 'Docker keeps its networks apart from each other here'],
  ['DOCKER-INGRESS', 'Docker Swarm’s published ports'],
  ['DOCKER-FORWARD', 'Docker decides here what is forwarded'],
]);

const DOCKER_CHAINS: ReadonlyMap<string, string> = new Map([
  ['DOCKER-USER', 'a rule of the administrator, in front of Docker’s'],
  ['DOCKER-ISOLATION-STAGE-1', 'keeps Docker’s networks apart from each other'],
  ['DOCKER-ISOLATION-STAGE-2', 'keeps Docker’s networks apart from each other'],
  ['DOCKER-INGRESS', 'Docker Swarm’s published ports'],
]);
