import { endpointRules } from './endpoint-rules.ts';
import { serviceChainNames, serviceChainRules } from './own-chains.ts';
import { sharedRules } from './shared-rules.ts';
import type { ChainVisitor } from '../../../kernel/netfilter/iptables/table.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { PortView } from './port-view.ts';

/** What all service ports add to the chains of nat that they share: bodies of rules, in order. */
export interface SharedBodies {
  readonly services: readonly string[];
  readonly nodePorts: readonly string[];
}

/**
 * Visits the nat chains of all service ports, one port after the other: each is done with before the next is looked at, so that of ten
 * thousand no more is in memory than of one. Gives the rules of the shared chains, which are to be visited after.
 */
export function visitPorts(count: number, view: (index: number) => PortView, visit: ChainVisitor): SharedBodies {
  const services: string[] = [];
  const nodePorts: string[] = [];
  for (let index = 0; index < count; index++) {
    const port = view(index);
    for (const { body } of sharedRules('nat/KUBE-SERVICES', port)) services.push(body);
    for (const { body } of sharedRules('nat/KUBE-NODEPORTS', port)) nodePorts.push(body);
    for (const name of serviceChainNames(port)) visit(name, bodiesOf(serviceChainRules(port, name)));
    const chains = port.reachableChains();
    for (let i = 0; i < chains.length; i++) {
      const name = chains[i]!;
      // A slice may name an endpoint twice: both have one chain.
      if (chains.indexOf(name) === i) visit(name, bodiesOf(endpointRules(port, port.selection.reachable[i]!, name)));
    }
  }
  return { services, nodePorts };
}

function bodiesOf(lines: readonly RuleLine[]): readonly string[] {
  return lines.map(({ body }) => body);
}
