import { mermaidLabel } from './mermaid-label.ts';
import { printableDeep } from './printable.ts';
import { percent } from './style.ts';
import { endpoint, shortName } from './text/names.ts';
import { nextEvent, summaryView } from './text/views.ts';
import type { TraceEvent } from '../trace/event.ts';
import { isAhead } from './legs.ts';
import type { Leg, Outcome } from '../trace/outcome.ts';
import type { Trace } from '../trace/trace.ts';

/**
 * A trace as a Mermaid sequence diagram: hosts are participants, frames between them arrows, rewrites, tunnels and drops notes; each
 * outcome is a branch. Ends with a line break.
 */
export function traceMermaid(trace: Trace): string {
  const { from, to, outcomes } = printableDeep(trace);
  const hosts = [...new Set(outcomes.flatMap(hostsOf))];
  const ids = new Map(hosts.map((host, i) => [host, `h${i}`]));
  const branches = outcomes.flatMap((outcome, i) => [...branchStart(outcome, i, outcomes.length), ...steps(outcome, ids)]);
  const lines = [
    'sequenceDiagram',
    `  accTitle: ${mermaidLabel(`${shortName(from)} to ${shortName(to)}`)}`,
    ...hosts.map((host) => `  participant ${ids.get(host)} as ${mermaidLabel(shortName(host))}`),
    ...branches,
    ...(outcomes.length > 1 ? ['  end'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** In the order in which the packets of an outcome get to them. */
function hostsOf({ request, reply, legs }: Outcome): readonly string[] {
  const ahead = legs.filter(isAhead).flatMap((leg) => leg.request);
  const behind = legs.filter((leg) => !isAhead(leg)).flatMap((leg) => [...leg.request, ...leg.reply]);
  return [...ahead, ...request, ...behind, ...reply].map((event) => event.host);
}

function branchStart(outcome: Outcome, i: number, count: number): readonly string[] {
  if (count < 2) return [];
  return [
    `  ${i === 0 ? 'alt' : 'else'} ${mermaidLabel(`${percent(outcome.probability)} ${outcome.server ? shortName(outcome.server) : outcome.verdict}`)}`,
  ];
}

function steps(outcome: Outcome, ids: ReadonlyMap<string, string>): readonly string[] {
  const { legs, request, reply, cause, verdict, status } = outcome;
  const end = status === undefined ? verdict : `${verdict}, HTTP ${status}`;
  const last =
    legs
      .filter((leg) => !isAhead(leg))
      .at(-1)
      ?.request.at(-1) ??
    request.at(-1) ??
    reply.at(-1) ??
    legs.at(-1)?.request.at(-1);
  const note = last ? [`  Note over ${ids.get(last.host)}: ${mermaidLabel(cause ? `${end}: ${cause.code}` : end)}`] : [];
  return [
    ...legs.filter(isAhead).flatMap((leg) => queryArrows(leg, ids)),
    ...part(request, '->>', ids),
    ...legs.filter((leg) => !isAhead(leg)).flatMap((leg) => [...part(leg.request, '->>', ids), ...part(leg.reply, '-->>', ids)]),
    ...part(reply, '-->>', ids),
    ...note,
  ];
}

/** Of what is over before the connection is made only who asks whom, and the answer. */
function queryArrows({ purpose, text, answer, verdict, request }: Leg, ids: ReadonlyMap<string, string>): readonly string[] {
  const [from, to] = [request[0], request.at(-1)];
  if (!from || !to) return [];
  const what = text === undefined ? purpose : `${purpose} ${text}`;
  return [
    `  ${ids.get(from.host)}->>${ids.get(to.host)}: ${mermaidLabel(what)}`,
    `  ${ids.get(to.host)}-->>${ids.get(from.host)}: ${mermaidLabel(answer ?? verdict)}`,
  ];
}

/** Frames that get from one host to another, and what was done to the packet in between. */
function part(events: readonly TraceEvent[], arrow: string, ids: ReadonlyMap<string, string>): readonly string[] {
  const notes = new Map(summaryView(events).map((line) => [line.event, line]));
  return events.flatMap((event, i) => {
    const line = notes.get(i);
    if (line && event.kind !== 'socket')
      return [`  Note over ${ids.get(event.host)}: ${mermaidLabel(`${line.place} ${line.columns.join(' ')}`)}`];
    const next = nextEvent(events, i, (other) => other.host !== event.host);
    const following = events[i + 1];
    if (event.kind !== 'tx' || !next || following?.host === event.host) return [];
    return [`  ${ids.get(event.host)}${arrow}${ids.get(next.host)}: ${mermaidLabel(frame(event))}`];
  });
}

function frame({ packet }: TraceEvent): string {
  if (!packet) return 'frame';
  const what = packet.flags?.replaceAll(',', '-') ?? packet.chunk ?? packet.protocol;
  return `${what} ${endpoint(packet.src, packet.sport)} → ${endpoint(packet.dst, packet.dport)}`;
}
