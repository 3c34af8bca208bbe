import { fullName, labelsText, listed } from './words.ts';
import type { Service } from '../../kubernetes/model/cluster.ts';
import type { RegistrationPod, RegistrationSlice } from '../../trace/explanation.ts';

/**
 * Why a service leads nowhere, at the first step of its registration at which nothing is left; null: it leads somewhere.
 * @param used is any of its endpoints used?
 */
export function faultOf(
  service: Service,
  pods: readonly RegistrationPod[],
  slices: readonly RegistrationSlice[],
  used: boolean,
): string | null {
  if (used || service.type === 'ExternalName') return null;
  const name = fullName(service);
  if (service.selector === null) {
    if (slices.length === 0) return `${name} has no selector, and nobody has written an EndpointSlice for it`;
    return endpointFault(name, slices);
  }
  const taken = pods.filter((pod) => !isUnselected(pod));
  if (slices.some(({ madeBy }) => madeBy !== 'endpoint-slice-controller')) return endpointFault(name, slices);
  if (taken.length === 0) return `no pod of ${service.namespace} has ${labelsText(service.selector)}${nearestText(pods)}`;
  return notTaken(taken);
}

function isUnselected({ reasons }: RegistrationPod): boolean {
  return reasons.some(({ code }) => code === 'labels' || code === 'other-namespace');
}

function nearestText(pods: readonly RegistrationPod[]): string {
  const [near] = pods;
  const reason = near?.reasons[0];
  if (near === undefined || reason === undefined) return '';
  return reason.code === 'other-namespace'
    ? `; ${near.name} has, but is ${reason.text}`
    : `; the nearest is ${near.name}: ${reason.text}`;
}

function notTaken(taken: readonly RegistrationPod[]): string {
  const [first] = taken;
  const reason = first?.reasons.find(({ code }) => code !== 'not-listening');
  const all =
    taken.length === 1
      ? `the one pod that the selector takes, ${first?.name},`
      : `all ${taken.length} pods that the selector takes, among them ${first?.name},`;
  return `${all} can’t be used${reason === undefined ? '' : `: ${reason.text}`}`;
}

function endpointFault(name: string, slices: readonly RegistrationSlice[]): string {
  const endpoints = slices.flatMap((slice) => slice.endpoints);
  if (endpoints.length === 0) return `the slices of ${name} are empty`;
  if (!endpoints.some(({ ready, serving, terminating }) => ready || (serving && terminating)))
    return `no endpoint in the slices of ${name} is ready`;
  const ports = slices.flatMap((slice) =>
    slice.ports.map((port) => `${port.name === '' ? 'unnamed' : port.name} ${port.protocol}`),
  );
  return `the slices of ${name} have no port that is called as one of the service (they have ${listed([...new Set(ports)])})`;
}
