import { chainOf } from '../../../kernel/netfilter/iptables/chain.ts';
import { endpointChains, ownChains, serviceChains } from './own-chains.ts';
import type { Chain } from '../../../kernel/netfilter/iptables/table.ts';
import type { OwnChain } from './own-chains.ts';
import type { PortView } from './port-view.ts';

/** The nat chains of all service ports: found by name, made when asked for. */
export interface OwnChainTable {
  chain(name: string): Chain | undefined;
  names(): Iterable<string>;
  /** Makes the chains of a service port known, since a packet is about to be led to them: spares the hashes of all others. */
  announce(index: number): void;
}

/**
 * Finding a chain by name needs the hash of every service port. A packet comes by the shared chains, whose rules announce the one port it
 * is led to; only a name from elsewhere makes the whole index.
 */
export function ownChainTable(count: number, view: (index: number) => PortView, family: 4 | 6): OwnChainTable {
  const known = new Map<string, OwnChain>();
  const made = new Map<string, Chain>();
  const announced = new Set<number>();
  let complete = false;

  const announce = (index: number): void => {
    if (announced.has(index)) return;
    announced.add(index);
    for (const chain of ownChains(view(index))) known.set(chain.name, chain);
  };
  const find = (name: string): OwnChain | undefined => {
    const found = known.get(name);
    if (found !== undefined || complete || !isOwnName(name)) return found;
    for (let index = 0; index < count; index++) announce(index);
    complete = true;
    return known.get(name);
  };
  return {
    announce,
    chain(name) {
      const existing = made.get(name);
      if (existing !== undefined) return existing;
      const found = find(name);
      if (found === undefined) return undefined;
      const chain = chainOf('nat', name, null, found.lines(), family);
      made.set(name, chain);
      return chain;
    },
    *names() {
      for (let index = 0; index < count; index++) {
        for (const chain of serviceChains(view(index))) yield chain.name;
        for (const chain of endpointChains(view(index))) yield chain.name;
      }
    },
  };
}

function isOwnName(name: string): boolean {
  return /^KUBE-(SVC|SVL|EXT|FW|SEP)-/.test(name);
}
