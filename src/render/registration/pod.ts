import { printableDeep } from '../printable.ts';
import { finish, wrap } from '../style.ts';
import { beside, padded, counted, firstOf, namespaceOf, within } from './table.ts';
import type { ExplainedPod, ExplainedPodRule, ExplainedPodService } from '../../trace/explanation.ts';
import type { Style } from '../style.ts';

/** A pod: its place, the services that lead to it, its own rules. Ends with a line break. */
export function podText(explained: ExplainedPod, style: Style): string {
  const pod = printableDeep(explained);
  const { chalk, width } = style;
  const labels = Object.entries(pod.labels).map(([key, value]) => `${key}=${value}`);
  const facts: readonly (readonly [string, string])[] = [
    ['node', pod.node],
    ['address', pod.addresses.length === 0 ? 'none: the CNI plugin has given it none' : pod.addresses.join(', ')],
    ['cable', cableText(pod)],
    ['labels', labels.length === 0 ? 'none: no selector takes it' : labels.join(', ')],
    ['ports', portsText(pod)],
    [
      'state',
      pod.terminating ? 'terminating' : pod.ready ? 'ready, as its kubelet reports' : 'not ready, as its kubelet reports',
    ],
  ];
  const lines = [
    chalk.bold(`POD ${pod.name}`),
    ...facts.flatMap(([label, text]) => beside(`  ${label.padEnd(8)}`, text, width)),
    ...serviceLines(pod, style),
    ...(pod.rules.length === 0
      ? []
      : [
          '',
          chalk.bold('ITS OWN RULES') + chalk.dim(`  on ${pod.node}; those of services: k8snet explain svc/NAME`),
          ...pod.rules.flatMap((rule) => ruleLines(rule, style)),
        ]),
  ];
  return finish(`${lines.join('\n')}\n`, style);
}

function cableText({ cable, hostNetwork, node }: ExplainedPod): string {
  if (hostNetwork) return `none: it lives in the namespace of ${node} (hostNetwork)`;
  if (cable === null) return 'none';
  return `${cable.inside} ─ ${cable.outside} on ${node}${cable.bridge === null ? '' : `, a port of bridge ${cable.bridge}`}`;
}

function portsText({ ports }: ExplainedPod): string {
  if (ports.length === 0) return 'none declared';
  return ports
    .map(({ name, protocol, port, hostPort, listens }) =>
      [
        `${name === '' ? '' : `${name} `}${protocol} ${port}`,
        ...(hostPort === null ? [] : [`hostPort ${hostPort}`]),
        ...(listens ? [] : ['nothing listens']),
      ].join(' '),
    )
    .join(', ');
}

const MARKS: Readonly<Record<ExplainedPodService['state'], string>> = { used: '✓', unused: '·', 'left-out': '✗' };

/** Services that take the pod, and a few that nearly do. */
function mostTelling(services: readonly ExplainedPodService[]): readonly ExplainedPodService[] {
  const takes = (service: ExplainedPodService): boolean => !service.reasons.some(({ code }) => code === 'labels');
  return [...services.filter(takes).slice(0, MOST), ...services.filter((service) => !takes(service)).slice(0, MOST_LEFT_OUT)];
}

const MOST = 20;
const MOST_LEFT_OUT = 6;

function serviceLines({ services: all, otherServices, name }: ExplainedPod, { chalk, width }: Style): readonly string[] {
  const namespace = namespaceOf(name);
  const services = mostTelling(all);
  const hidden = all.length - services.length;
  const rows = padded(
    services.map(({ name: service, selector, state, endpoints }) => [
      `  ${MARKS[state]} ${within(service, namespace)}`,
      selector,
      firstOf(endpoints, 3),
    ]),
  );
  const others =
    otherServices === 0 ? [] : [chalk.dim(`  ${counted(otherServices, 'service')} of ${namespace} with nothing of its labels`)];
  return [
    '',
    chalk.bold('SERVICES') + chalk.dim('  which lead to it, which do not and why'),
    ...(services.length === 0 ? ['  none'] : []),
    ...services.flatMap(({ reasons, state }, i) =>
      beside(rows[i]!, reasons.map(({ text }) => text).join('; '), width).map((line) =>
        state === 'used' ? line : state === 'unused' ? chalk.yellow(line) : chalk.dim(line),
      ),
    ),
    ...(hidden === 0 ? [] : [chalk.dim(`  ${counted(hidden, 'more service')} (-o json lists all)`)]),
    ...others,
  ];
}

function ruleLines({ table, rule, text, sentence }: ExplainedPodRule, { chalk, width }: Style): readonly string[] {
  return [
    `  ${table} #${String(rule).padEnd(3)} ${text}`,
    ...(sentence === null ? [] : wrap(sentence, width - 8).map((line, i) => chalk.dim(`      ${i === 0 ? '↳ ' : '  '}${line}`))),
  ];
}
