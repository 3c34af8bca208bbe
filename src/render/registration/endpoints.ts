import { beside, columns, padded, counted, firstOf, namespaceOf, within } from './table.ts';
import type { RegistrationEndpoint, RegistrationPod, RegistrationSlice, ServiceRegistration } from '../../trace/explanation.ts';
import type { Style } from '../style.ts';

/** Pods, and endpoints of a slice, that are listed. */
const MOST = 12;
/** Pods that a selector leaves out, where it takes others. */
const MOST_UNSELECTED = 3;

const MARKS: Readonly<Record<RegistrationPod['state'], string>> = { used: '✓', unused: '·', 'left-out': '✗' };

/** The pods that a selector takes or nearly takes, each with what keeps it out. */
export function podLines(made: ServiceRegistration, style: Style): readonly string[] {
  const { chalk, width } = style;
  const namespace = namespaceOf(made.name);
  const shown = mostTelling(made.pods);
  const rows = padded(
    shown.map((pod) => [`${MARKS[pod.state]} ${within(pod.name, namespace)}`, pod.node, firstOf(placesOf(pod), 3)]),
  );
  const lines = shown.flatMap((pod, i) =>
    beside(rows[i]!, reasonText(pod), width).map((line) =>
      pod.state === 'used' ? line : pod.state === 'unused' ? chalk.yellow(line) : chalk.dim(line),
    ),
  );
  const hidden = made.pods.length - shown.length;
  const others = made.otherPods === 0 ? [] : [`${counted(made.otherPods, 'pod')} with nothing of the selector`];
  const more = [...(hidden === 0 ? [] : [`${counted(hidden, 'more pod')} (-o json lists all)`]), ...others];
  const none = shown.length === 0 ? ['none'] : [];
  return [...none, ...lines, ...(more.length === 0 ? [] : [chalk.dim(`  ${more.join('; ')}`)])];
}

/** Of many pods those that the selector takes and that are not used come first; of those that it leaves out a few will do, the nearest. */
function mostTelling(pods: readonly RegistrationPod[]): readonly RegistrationPod[] {
  const used = pods.filter(({ state }) => state === 'used');
  const unselected = pods.filter(isUnselected);
  const kept = new Set([
    ...pods.filter((pod) => pod.state !== 'used' && !isUnselected(pod)).slice(0, MOST / 2),
    ...used.slice(0, MOST / 2),
    ...unselected.slice(0, used.length > 0 ? MOST_UNSELECTED : MOST / 2),
  ]);
  return pods.filter((pod) => kept.has(pod));
}

function isUnselected({ reasons }: RegistrationPod): boolean {
  return reasons.some(({ code }) => code === 'labels' || code === 'other-namespace');
}

function placesOf({ endpoints, addresses }: RegistrationPod): readonly string[] {
  if (endpoints.length > 0) return endpoints;
  return addresses.length > 0 ? addresses : ['no address'];
}

function reasonText({ state, reasons }: RegistrationPod): string {
  return reasons.length === 0 ? (state === 'used' ? 'ready' : '') : reasons.map(({ text }) => text).join('; ');
}

/** The slices with their endpoints and conditions. */
export function sliceLines({ name, selector, slices }: ServiceRegistration, style: Style): readonly string[] {
  const { chalk } = style;
  const namespace = namespaceOf(name);
  if (slices.length === 0) return [`${selector === null ? 'none' : 'an empty one'}: kube-proxy knows of no endpoint`];
  return slices.flatMap((slice) => {
    const shown = slice.endpoints.slice(0, MOST);
    const rows = columns(shown.map((endpoint) => endpointRow(endpoint, namespace)));
    const hidden = slice.endpoints.length - shown.length;
    return [
      `${slice.name}  ${chalk.dim(sliceText(slice))}`,
      ...rows.map((row, i) => (shown[i]!.ready ? `  ${row}` : chalk.yellow(`  ${row}`))),
      ...(shown.length === 0 ? ['  no endpoint'] : []),
      ...(hidden === 0 ? [] : [chalk.dim(`  ${counted(hidden, 'more endpoint')}`)]),
    ];
  });
}

function sliceText({ addressType, ports }: RegistrationSlice): string {
  const texts = ports.map(({ name, protocol, port }) => `${name === '' ? '' : `${name} `}${protocol} ${port ?? 'any port'}`);
  return [addressType, ...(texts.length === 0 ? ['no port'] : texts)].join(', ');
}

function endpointRow(endpoint: RegistrationEndpoint, namespace: string): readonly string[] {
  const { addresses, pod, node, zone, hintZones, hintNodes } = endpoint;
  const hints = [
    ...(hintZones.length === 0 ? [] : [`for zone ${hintZones.join(', ')}`]),
    ...(hintNodes.length === 0 ? [] : [`for node ${hintNodes.join(', ')}`]),
  ];
  const facts = [conditionsOf(endpoint), ...(zone === null ? [] : [`zone ${zone}`]), ...hints];
  return [addresses.join(', '), pod === null ? '-' : within(pod, namespace), node ?? 'no node', facts.join(', ')];
}

function conditionsOf({ ready, serving, terminating }: RegistrationEndpoint): string {
  if (terminating) return serving ? 'terminating, serving' : 'terminating, not serving';
  return ready ? 'ready' : 'not ready';
}
