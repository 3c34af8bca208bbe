import { explainFlannelRule } from './flannel.ts';
import { explainPortmapRule } from './host-ports.ts';
import { explainKubeProxyRule } from './kube-proxy.ts';
import { explainBridgePluginRule, explainDockerRule, explainKubeletRule } from './other-makers.ts';
import { readRuleText } from './rule-text.ts';
import { explainWeaveRule } from './weave.ts';
import type { Explanation } from './explanation.ts';
import type { ServiceIndex } from './service-index.ts';

/**
 * Says what a rule is for and whose it is, from its chain and its text alone: for compiled rules and for dumps of any version.
 * @param body behind "-A CHAIN ", in iptables-save's form
 * @param index finds the services behind hashed chain names
 * @returns null for a rule of nobody that is known here
 */
export function recogniseRule(table: string, chain: string, body: string, index: ServiceIndex): Explanation | null {
  const rule = readRuleText(body);
  return (
    explainKubeletRule(table, chain, rule) ??
    explainKubeProxyRule(table, chain, rule, index) ??
    explainFlannelRule(table, chain, rule) ??
    explainWeaveRule(table, chain, rule) ??
    explainPortmapRule(table, chain, rule) ??
    explainBridgePluginRule(table, chain, rule) ??
    explainDockerRule(table, chain, rule)
  );
}
