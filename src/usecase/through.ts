import type { TraceEvent } from '../trace/event.ts';
import type { Outcome } from '../trace/outcome.ts';

/**
 * Is a place on the way of an outcome, in any part of it? What processes pass the connection on by is on the way too; queries for its name,
 * probes and earlier connections are not. A place is
 * - a host: "node/node-2", "pod/web-1", "pod/default/web-1", or its bare name "node-2";
 * - a device: "flannel.1", or on one host only: "node-2 flannel.1";
 * - a chain a rule of which matched: "KUBE-FORWARD", "nat KUBE-SERVICES";
 * - the text of a rule that matched, or a part of it of more than one word.
 */
export function passesThrough(outcome: Outcome, place: string): boolean {
  const legs = outcome.legs.filter(({ purpose }) => purpose === 'proxy' || purpose === 'tunnel');
  const parts = [outcome, ...legs].flatMap(({ request, reply, ack }) => [request, reply, ack]).concat([outcome.data ?? []]);
  return parts.some((events) => events.some((event) => isAt(event, place)));
}

function isAt(event: TraceEvent, place: string): boolean {
  if (isHost(event.host, place)) return true;
  const device = deviceOf(event);
  if (device !== null && isOn(event.host, device, place)) return true;
  switch (event.kind) {
    case 'rule':
      return event.chain === place || `${event.table} ${event.chain}` === place || isRuleText(event.text, place);
    case 'policy':
      return event.chain === place || `${event.table} ${event.chain}` === place;
    default:
      return false;
  }
}

/** A pod's name without a namespace means the default one behind "pod/", any as a bare name. */
function isHost(host: string, place: string): boolean {
  const [kind, ...path] = host.split('/');
  const name = path.at(-1) ?? '';
  if (place === host || place === path.join('/') || place === name) return true;
  return place === `${kind}/${name}` && path.length === 2 && path[0] === 'default';
}

function isOn(host: string, device: string, place: string): boolean {
  if (place === device) return true;
  if (!place.endsWith(` ${device}`)) return false;
  return isHost(host, place.slice(0, -device.length - 1));
}

function deviceOf(event: TraceEvent): string | null {
  switch (event.kind) {
    case 'tx':
    case 'rx':
    case 'encapsulate':
    case 'decapsulate':
      return event.device;
    case 'bridge':
      return event.bridge;
    default:
      return null;
  }
}

function isRuleText(text: string, place: string): boolean {
  return text === place || (place.includes(' ') && text.includes(place));
}
