import { readRuleText } from '../explain/rule-text.ts';

/** Chains whose makers k8snet compiles: what is in them and not expected is a difference. */
const COMPILED = /^(?:KUBE-|FLANNEL-|CNI-)/;
/** kubelet's own, beside what kube-proxy makes. */
const KUBELET = /^(?:KUBE-KUBELET-CANARY|KUBE-IPTABLES-HINT|KUBE-MARK-DROP)$/;
const TARGETS = new Set(['ACCEPT', 'DROP', 'REJECT', 'RETURN', 'QUEUE', '']);

/**
 * Is a rule of a dump the business of somebody who is not compared: a rule in a chain of theirs, or the jump to one from a base chain?
 * @param isExpected the chain is one that the cluster asks for
 */
export function isForeign(chain: string, isExpected: boolean, body: string): boolean {
  const { target, comment } = readRuleText(body);
  if (KUBELET.test(chain) || comment === 'kubernetes firewall for dropping marked packets') return true;
  if (!isExpected) return !COMPILED.test(chain) && !isBase(chain);
  return isBase(chain) && isChainName(target) && !COMPILED.test(target);
}

function isBase(chain: string): boolean {
  return /^(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)$/.test(chain);
}

/** Targets that do something are in the kernel's few words; chains are the rest. */
function isChainName(target: string): boolean {
  return !TARGETS.has(target) && !EXTENSIONS.has(target);
}

const EXTENSIONS = new Set([
  'AUDIT',
  'CHECKSUM',
  'CLASSIFY',
  'CLUSTERIP',
  'CONNMARK',
  'CONNSECMARK',
  'CT',
  'DNAT',
  'DNPT',
  'DSCP',
  'ECN',
  'HL',
  'HMARK',
  'IDLETIMER',
  'LED',
  'LOG',
  'MARK',
  'MASQUERADE',
  'MIRROR',
  'NETMAP',
  'NFLOG',
  'NFQUEUE',
  'NOTRACK',
  'RATEEST',
  'REDIRECT',
  'SAME',
  'SECMARK',
  'SET',
  'SNAT',
  'SNPT',
  'SYNPROXY',
  'TCPMSS',
  'TCPOPTSTRIP',
  'TEE',
  'TOS',
  'TPROXY',
  'TRACE',
  'TTL',
  'ULOG',
]);
