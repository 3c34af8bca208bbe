import { NO_NETFILTER } from '../kernel/netfilter/build.ts';
import { parseSave } from '../kernel/netfilter/iptables/save-format/parse.ts';
import { once } from '../support/once.ts';
import type { Netfilter } from '../kernel/netfilter/netfilter.ts';
import type { Node } from './model/cluster.ts';

/** Netfilter of a node whose rules come from a dump (`nodes[].iptablesSave`), read when a packet first meets a hook; null: it has none. */
export function dumpedNetfilter(node: Node): Netfilter | null {
  const dump = node.iptablesSave;
  if (dump === null) return null;
  const saved = once(() => parseSave(dump.text, dump.file));
  return {
    ...NO_NETFILTER,
    get iptables() {
      return saved().tables;
    },
    get iptablesLegacy() {
      return saved().legacy;
    },
    get ip6tables() {
      return saved().tables6;
    },
  };
}
