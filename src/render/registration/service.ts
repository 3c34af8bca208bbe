import { printableDeep } from '../printable.ts';
import { finish, wrap } from '../style.ts';
import { mappingLines } from './mappings.ts';
import { podLines, sliceLines } from './endpoints.ts';
import { ruleLines } from './rules.ts';
import { beside, namespaceOf, padded } from './table.ts';
import type { RegistrationEntrance, RegistrationPort, ServiceRegistration } from '../../trace/explanation.ts';
import type { Style } from '../style.ts';

/** How a service comes to its rules, as a path from the selector down to the rules. Ends with a line break. */
export function registrationText(registration: ServiceRegistration, style: Style): string {
  const made = printableDeep(registration);
  const lines = [
    ...headLines(made, style),
    ...faultLines(made, style),
    '',
    ...mappingLines(made, style),
    ...(made.type === 'ExternalName' ? [] : ['', ...pathLines(made, style)]),
    ...entranceLines(made.entrances, style),
    ...(made.nodes.length === 0 ? [] : ['', style.chalk.dim('--detail rules shows each rule, --node NAME one node only.')]),
  ];
  return finish(`${lines.join('\n')}\n`, style);
}

function headLines({ name, type, headless, ports, cni, proxyMode }: ServiceRegistration, style: Style): readonly string[] {
  const { chalk, width } = style;
  const kind = headless && type !== 'ExternalName' ? 'headless' : type;
  const head = `SERVICE ${name}`;
  const proxy = proxyMode === 'none' ? 'no kube-proxy' : `kube-proxy ${proxyMode}`;
  const rest = [kind, ...ports.map(portText)].join(' · ');
  return [
    ...beside(head, rest, width, 3).map((line, i) => (i === 0 ? chalk.bold(head) + line.slice(head.length) : line)),
    chalk.dim(`${cni} · ${proxy}`),
  ];
}

function portText({ name, protocol, port, targetPort }: RegistrationPort): string {
  return `${name === '' ? '' : `${name} `}${protocol} ${port}${targetPort === String(port) ? '' : ` → ${targetPort}`}`;
}

function faultLines({ fault }: ServiceRegistration, { chalk, width }: Style): readonly string[] {
  if (fault === null) return [];
  return ['', ...wrap(`✗ It leads nowhere: ${fault}.`, width).map((line, i) => chalk.red(i === 0 ? line : line))];
}

/** The four steps, one below the other on a rail. */
function pathLines(made: ServiceRegistration, style: Style): readonly string[] {
  const { chalk, width } = style;
  const namespace = namespaceOf(made.name);
  const step = (corner: string, label: string, who: string): readonly string[] =>
    beside(`${corner}─ ${label}`.padEnd(LABEL), who, width).map((line, i) =>
      i === 0
        ? line.slice(0, 3) + chalk.bold(label) + chalk.dim(line.slice(3 + label.length))
        : chalk.dim(`${corner === '└' ? ' ' : '│'}${line.slice(1)}`),
    );
  const railed = (lines: readonly string[]): readonly string[] => [...lines.map((line) => `│  ${line}`), '│'];
  const inner: Style = { ...style, width: width - 3 };
  const heading = 'HOW IT COMES TO ITS RULES';
  return [
    chalk.bold(heading) + chalk.dim('  each step is another program’s'),
    '',
    ...step('┌', 'selector', `${made.selector ?? 'none'}   whoever wrote the Service`),
    '│',
    ...step('├', 'pods', podsWho(made, namespace)),
    ...railed(podLines(made, inner)),
    ...step('├', 'slices', slicesWho(made)),
    ...railed(sliceLines(made, inner)),
    ...step('└', 'rules', rulesWho(made)),
    ...ruleLines(made, { ...style, width: width - 3 }).map((line) => (line === '' ? '' : `   ${line}`)),
  ];
}

const LABEL = 12;

function podsWho({ selector }: ServiceRegistration, namespace: string): string {
  return selector === null
    ? 'without a selector nobody looks for pods'
    : `of ${namespace}; kubelets report them, the API server keeps`;
}

function slicesWho({ slices }: ServiceRegistration): string {
  const makers = new Set(slices.map(({ madeBy }) => madeBy));
  if (makers.has('input')) return 'given in the input: a real cluster’s, or written by hand';
  if (makers.has('api-server')) return 'the API server points at itself';
  return 'the EndpointSlice controller writes down what the selector takes';
}

function rulesWho({ proxyMode, withoutRules }: ServiceRegistration): string {
  if (withoutRules !== null) return withoutRules;
  return `kube-proxy on each node turns slices into ${WRITES[proxyMode] ?? 'rules'}`;
}

const WRITES: Readonly<Record<string, string>> = {
  iptables: 'iptables rules',
  nftables: 'nftables maps and chains',
  ipvs: 'IPVS virtual servers',
  userspace: 'rules that lead to itself',
};

function entranceLines(entrances: readonly RegistrationEntrance[], { chalk, width }: Style): readonly string[] {
  if (entrances.length === 0) return [];
  const rows = padded(entrances.map(({ at, by }) => [at, by]));
  return [
    '',
    chalk.bold('WAYS IN FROM OUTSIDE') + chalk.dim('  where, who gives it out or serves it'),
    ...rows.flatMap((row, i) => beside(`  ${row}`, entrances[i]!.sentence, width)),
  ];
}
