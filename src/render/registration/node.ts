import { printableDeep } from '../printable.ts';
import { finish } from '../style.ts';
import { beside, counted, firstOf } from './table.ts';
import type { ExplainedAddress, ExplainedNode } from '../../trace/explanation.ts';
import type { Style } from '../style.ts';

/** Pods and services that a node's lines name. */
const MOST = 10;

/** A node in short, and where to read more. Ends with a line break. */
export function nodeSummary(explained: ExplainedNode, style: Style): string {
  const node = printableDeep(explained);
  const { chalk, width } = style;
  const named = (names: readonly string[]): string => (names.length === 0 ? 'none' : `${names.length}: ${firstOf(names, MOST)}`);
  const facts: readonly (readonly [string, string])[] = [
    ['address', node.addresses.join(', ')],
    ...(node.zone === null ? [] : [['zone', node.zone] as const]),
    ['pod range', node.podCidrs.length === 0 ? 'none' : node.podCidrs.join(', ')],
    ['network', node.cni],
    ['services', node.proxyMode === 'none' ? 'no kube-proxy' : `kube-proxy ${node.proxyMode}`],
    ...(node.dumps.length === 0 ? [] : [['rules', `from ${node.dumps.join(', ')}`] as const]),
    ['pods', named(node.pods)],
    ['endpoints', node.services.length === 0 ? 'of no service' : `of ${firstOf(node.services, MOST)}`],
    ['holds', node.state.map(({ what, count }) => counted(count, what.replace(/s$/, ''), what)).join(', ')],
  ];
  const lines = [
    chalk.bold(`NODE ${node.name}`),
    ...facts.flatMap(([label, text]) => beside(`  ${label.padEnd(10)}`, text, width)),
    '',
    chalk.dim(`k8snet topology --node ${node.name} draws it: devices, hooks, routes, ways in.`),
  ];
  return finish(`${lines.join('\n')}\n`, style);
}

/** Whose an address is. Ends with a line break. */
export function addressText(explained: ExplainedAddress, style: Style): string {
  const { address, holders, notes } = printableDeep(explained);
  const { chalk, width } = style;
  const lines = [
    chalk.bold(`ADDRESS ${address}`),
    ...holders.flatMap(({ kind, name, sentence }) =>
      beside(`  ${kind.padEnd(8)}${name === 'underlay' ? '' : ` ${name}`}`, sentence, width),
    ),
    ...(holders.length === 0 ? ['  nobody’s'] : []),
    ...notes.flatMap((note) => beside('  ·', note, width, 1)),
    ...holders
      .slice(0, 1)
      .flatMap(({ kind, name }) =>
        ['service', 'pod', 'node'].includes(kind) ? ['', chalk.dim(`k8snet explain ${name} says more.`)] : [],
      ),
  ];
  return finish(`${lines.join('\n')}\n`, style);
}
