import { chainOf } from '../../../kernel/netfilter/iptables/chain.ts';
import { endpointRules } from './endpoint-rules.ts';
import { serviceChainNames, serviceChainRules } from './own-chains.ts';
import type { LineChain } from '../../../kernel/netfilter/iptables/chain.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { Chain } from '../../../kernel/netfilter/iptables/table.ts';
import type { PortView } from './port-view.ts';

/** The nat chains of all service ports: found by name, made when asked for. */
export interface OwnChainTable {
  chain(name: string): Chain | undefined;
  /** In no order. */
  names(): Iterable<string>;
  /** Makes the chains of a service port known, since a packet is about to be led to them: spares the hashes of all others. */
  announce(index: number): void;
}

/**
 * Finding a chain by name needs the hash of every service port. A packet comes by the shared chains, whose rules announce the one port it
 * is led to; only a name from elsewhere makes the whole index.
 */
export function ownChainTable(count: number, view: (index: number) => PortView, family: 4 | 6): OwnChainTable {
  /** Where a chain comes from: the port's index, plus `count` times the endpoint's place (from 1) for the chain of an endpoint. */
  const places = new Map<string, number>();
  const announced = new Uint8Array(count);
  const kept = new Map<string, Chain>();
  let complete = false;

  const announce = (index: number): void => {
    if (announced[index] === 1) return;
    announced[index] = 1;
    for (const name of serviceChainNames(view(index))) places.set(name, index);
    for (const [i, name] of view(index).reachableChains().entries()) places.set(name, index + count * (i + 1));
  };
  const announceAll = (): void => {
    for (let index = 0; index < count && !complete; index++) announce(index);
    complete = true;
  };
  const linesOf = (name: string, place: number): readonly RuleLine[] => {
    const owner = view(place % count);
    const endpoint = owner.selection.reachable[Math.floor(place / count) - 1];
    return endpoint === undefined ? serviceChainRules(owner, name) : endpointRules(owner, endpoint, name);
  };
  return {
    announce,
    chain(name) {
      const existing = kept.get(name);
      if (existing !== undefined) return existing;
      let place = places.get(name);
      if (place === undefined && isOwnName(name)) {
        announceAll();
        place = places.get(name);
      }
      if (place === undefined) return undefined;
      return keptOnceUsed(chainOf('nat', name, null, linesOf(name, place), family), kept);
    },
    names() {
      announceAll();
      return places.keys();
    },
  };
}

/** Keeps a chain whose rules packets are matched against; one that is only printed is not needed again. */
function keptOnceUsed(chain: LineChain, kept: Map<string, Chain>): LineChain {
  const made: LineChain = {
    name: chain.name,
    policy: null,
    lines: chain.lines,
    length: chain.length,
    body: chain.body,
    rule(index) {
      kept.set(chain.name, made);
      return chain.rule(index);
    },
  };
  return made;
}

function isOwnName(name: string): boolean {
  return /^KUBE-(SVC|SVL|EXT|FW|SEP)-/.test(name);
}
