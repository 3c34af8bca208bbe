import { explainChain } from '../explain/explain-chain.ts';
import { readRuleText } from '../explain/rule-text.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { RulesComponent } from '../rules.ts';

/** Whose rules are compared; what anybody else made is named, but is no difference. */
export function comparedMakers(cluster: Cluster, component: RulesComponent): ReadonlySet<string> {
  const proxy = ['kube-proxy', 'kubernetes'];
  const { plugin } = cluster.cni;
  const cni = ['flannel', 'portmap', 'bridge-plugin', ...(plugin === 'docker' || plugin === 'weave' ? [plugin] : [])];
  return new Set(component === 'kube-proxy' ? proxy : component === 'cni' ? cni : [...proxy, ...cni]);
}

/**
 * Is a rule of a dump the business of somebody who is not compared: by what it says, by the chain it is in, or by the chain it jumps to?
 * @param maker whose rule its text says it is; null when nobody knows
 * @param isExpected the chain is one that the cluster asks for
 */
export function isForeign(
  compared: ReadonlySet<string>,
  maker: string | null,
  chain: string,
  isExpected: boolean,
  body: string,
): boolean {
  if (maker !== null) return !compared.has(maker);
  if (isBase(chain)) return isOthersChain(compared, readRuleText(body).target);
  return !isExpected && isOthersChain(compared, chain);
}

/** What real kube-proxy adds only where the kernel can count so (1.31 on); it decides nothing. */
export function isCounter(body: string): boolean {
  return body.includes(' -m nfacct --nfacct-name  localhost_nps_accepted_pkts ');
}

/** A rule's text without what only counts. */
export function withoutCounter(body: string): string {
  return body.replace(/ -m nfacct --nfacct-name {1,2}\S+/, '');
}

/**
 * Jumps whose place in a base chain depends on who started first: kubelet makes KUBE-FIREWALL too, and kube-proxy leaves a jump that is
 * there where it is.
 */
export function standsAnywhere(chain: string, body: string): boolean {
  return isBase(chain) && body === '-j KUBE-FIREWALL';
}

function isBase(chain: string): boolean {
  return /^(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)$/.test(chain);
}

/** A chain that none of the compared makers makes; targets that act are no chains. */
function isOthersChain(compared: ReadonlySet<string>, name: string): boolean {
  if (name === '' || VERDICTS.has(name)) return false;
  const maker = explainChain(name)?.origin.by;
  return maker === undefined || !compared.has(maker);
}

/** Targets that act, as iptables knows them: no chains. */
const VERDICTS = new Set(
  (
    'ACCEPT AUDIT CHECKSUM CLASSIFY CLUSTERIP CONNMARK CONNSECMARK CT DNAT DNPT DROP DSCP ECN HL HMARK IDLETIMER LED LOG MARK ' +
    'MASQUERADE MIRROR NETMAP NFLOG NFQUEUE NOTRACK QUEUE RATEEST REDIRECT REJECT RETURN SAME SECMARK SET SNAT SNPT SYNPROXY TCPMSS ' +
    'TCPOPTSTRIP TEE TOS TPROXY TRACE TTL ULOG'
  ).split(' '),
);
