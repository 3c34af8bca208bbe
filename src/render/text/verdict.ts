import { percent, wrap } from '../style.ts';
import { decidedFields, deciding, decisionFields } from './decision.ts';
import { rewrite } from './event-line.ts';
import { LABEL_WIDTH, field } from './field.ts';
import { endpoint, shortName } from './names.ts';
import type { TraceEvent } from '../../trace/event.ts';
import type { Cause, Outcome, Part, Verdict } from '../../trace/outcome.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Style } from '../style.ts';

/** What `curl` would say. */
export const WORDS: Readonly<Record<Verdict, string>> = {
  connected: 'CONNECTED',
  refused: 'CONNECTION REFUSED',
  reset: 'CONNECTION RESET',
  timeout: 'TIMED OUT',
  'host-unreachable': 'NO ROUTE TO HOST',
  'network-unreachable': 'NETWORK IS UNREACHABLE',
  'message-too-long': 'MESSAGE TOO LONG',
  prohibited: 'PERMISSION DENIED',
  'not-permitted': 'OPERATION NOT PERMITTED',
  'invalid-argument': 'INVALID ARGUMENT',
  unresolved: 'NAME NOT RESOLVED',
  unknown: 'UNKNOWN',
};

/** The tail of a trace: what people paste into tickets. One block for each different answer. */
export function verdictBlock(trace: Trace, style: Style): readonly string[] {
  const answers = groupByAnswer(trace.outcomes);
  const blocks = answers.map((outcomes) => answerBlock(trace, outcomes, trace.outcomes.length > 1, style));
  const general = [
    ...(trace.sampled
      ? field('sampled', 'there are too many ways to walk them all; the shares come from a sample of them', style)
      : []),
    ...trace.assumptions.flatMap((assumption) => field('assumed', assumption, style)),
    ...(trace.notes ?? []).flatMap((note) => field('note', note, style)),
    ...trace.notModelled.flatMap((missing) => field('not modelled', missing, style)),
  ];
  return [...blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block])), ...general];
}

/** Outcomes with one verdict and one cause are one answer. */
function groupByAnswer(outcomes: readonly Outcome[]): readonly (readonly Outcome[])[] {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const key = `${outcome.verdict} ${outcome.status ?? ''} ${outcome.cause?.code ?? ''}`;
    const group = groups.get(key);
    if (group) group.push(outcome);
    else groups.set(key, [outcome]);
  }
  return [...groups.values()];
}

function answerBlock(trace: Trace, outcomes: readonly Outcome[], branched: boolean, style: Style): readonly string[] {
  const first = outcomes[0]!;
  const share = outcomes.reduce((sum, outcome) => sum + outcome.probability, 0);
  const word = wordFor(first);
  const isFlawed = lostPart(first) !== null || (first.status ?? 0) >= 400;
  const paint = first.verdict !== 'connected' ? style.chalk.red : isFlawed ? style.chalk.yellow : style.chalk.green;
  const shareText = branched ? (share > 0.9995 ? ' every time' : ` ${percent(share)} of the time`) : '';
  const title = `${paint.bold(word)}${shareText}`;
  const headline = [who(outcomes, branched), seen(trace, outcomes)].filter((text) => text !== '').join(' ');
  const titleWidth = word.length + shareText.length;
  const [start, ...rest] = headline === '' ? [''] : wrap(headline, style.width - titleWidth - 2);
  return [
    start === '' ? title : `${title}  ${start}`,
    ...rest.map((line) => `${' '.repeat(titleWidth + 2)}${line}`),
    ...(first.cause ? causeFields(first, first.cause, style) : decidedFields(outcomes, style)),
    ...sourceFields(trace, first, style),
    ...(first.verdict === 'unresolved' ? [] : field('reply', replyFate(first, outcomes.length > 1), style)),
  ];
}

function wordFor(outcome: Outcome): string {
  if (isOneWay(outcome)) return 'ARRIVED';
  if (isPending(outcome)) return 'NO ADDRESS';
  const word = WORDS[outcome.verdict];
  return outcome.status === undefined ? word : `${word}, HTTP ${outcome.status}`;
}

/** Nothing was sent, since a service waits for its address. */
function isPending({ cause }: Outcome): boolean {
  return cause?.code === 'load-balancer-pending';
}

/** "pod/web-1 answered", "pod/web-1 (50 %) or pod/web-2 (50 %) answers". */
function who(outcomes: readonly Outcome[], branched: boolean): string {
  const shares = new Map<string, number>();
  for (const outcome of outcomes) {
    if (outcome.server !== null) shares.set(outcome.server, (shares.get(outcome.server) ?? 0) + outcome.probability);
  }
  const first = outcomes[0]!;
  const lost = lostPart(first);
  if (lost === 'ack')
    return `${shortName(first.reply[0]!.host)} answered, but the next packet is lost: no server ever gets the connection.`;
  if (first.verdict === 'unresolved') return 'No connection was made.';
  if (shares.size === 0) return first.verdict === 'connected' ? '' : answerLost(first);
  const names = listing(
    [...shares].map(([server, share]) => shortName(server) + (branched ? ` (${percent(share)})` : '')),
    'or',
  );
  if (isOneWay(first)) return `at ${names}; the answer is not followed.`;
  if (lost === 'data') return `The handshake with ${names} passes, the data does not.`;
  return `${names} ${branched ? 'answers' : 'answered'}.`;
}

/** Only the request was followed, and it arrived. */
function isOneWay({ verdict, server, reply, request }: Outcome): boolean {
  return verdict === 'connected' && server !== null && reply.length === 0 && request.length > 0;
}

/** What of a TCP connection is lost after its handshake seemed to go well. */
function lostPart({ verdict, server, reply, ack, data = [] }: Outcome): 'ack' | 'data' | null {
  const isLost = (events: readonly TraceEvent[]): boolean => events.some((e) => e.kind === 'drop' && e.reason !== 'OTHERHOST');
  if (verdict === 'connected' && server === null && reply.length > 0 && isLost(ack)) return 'ack';
  return verdict !== 'connected' && server !== null && isLost(data) ? 'data' : null;
}

/** An answer that was sent and lost is not the same as none: somebody is there. */
function answerLost({ reply }: Outcome): string {
  const lost = reply[0]?.packet?.icmp === undefined && reply.some((event) => event.kind === 'drop' && !event.outer);
  return lost ? `${shortName(reply[0]!.host)} answered, and the answer was lost.` : 'Nobody answered.';
}

const LISTED = 8;

function listing(names: readonly string[], word: string): string {
  if (names.length > LISTED) return `${names.slice(0, LISTED).join(', ')} ${word} one of ${names.length - LISTED} more`;
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} ${word} ${names[names.length - 1]}`;
}

/** Which client address the server saw: the thing people look for in access logs. */
function seen(trace: Trace, outcomes: readonly Outcome[]): string {
  const sources = [...new Set(outcomes.map((outcome) => outcome.source))].filter((source) => source !== null);
  const client = trace.packet?.source ?? null;
  if (sources.length === 0) return '';
  if (sources.length === 1 && sources[0] === client) return `It saw the client itself, ${sources[0]}.`;
  const instead = client === null || sources.includes(client) ? '' : ` instead of the client's ${client}`;
  return `It saw ${listing(sources, 'or')}${instead}.`;
}

/** What hid the client from the server: a process that passed its connection on, or a rule. */
function sourceFields(trace: Trace, outcome: Outcome, style: Style): readonly string[] {
  if (outcome.source === null || outcome.source === trace.packet?.source) return [];
  const proxy = outcome.request.findLast((event) => event.kind === 'proxy');
  if (proxy) {
    const text = `${shortName(proxy.host)}: a process there took the client’s connection and made one of its own; the server sees that one, not the client`;
    return field('source', text, style);
  }
  const nat = outcome.request.findIndex(
    (event) => event.kind === 'nat' && event.type === 'snat' && event.after.src === outcome.source,
  );
  const [rule, event] = [outcome.request[nat - 1], outcome.request[nat]];
  if (rule?.kind !== 'rule' || event?.kind !== 'nat') return [];
  return field('source', `${shortName(rule.host)}, ${rule.table} ${rule.chain} #${rule.rule}: ${rewrite(event)}`, style);
}

function causeFields(outcome: Outcome, cause: Cause, style: Style): readonly string[] {
  const event = cause.at ? eventsOf(outcome, cause.at.leg, cause.at.part)[cause.at.event] : undefined;
  const decider = event && cause.at ? deciding(eventsOf(outcome, cause.at.leg, cause.at.part), cause.at.event) : undefined;
  return [
    ...field('cause', `${cause.text} (${cause.code})`, style),
    ...(event && cause.at ? field('where', `${shortName(event.host)}, ${PART_NAMES[cause.at.part]}${place(event)}`, style) : []),
    ...(decider && !(decider.kind === 'rule' && cause.text.includes(decider.text)) ? decisionFields(decider, style) : []),
    ...(cause.whyNot ? field('why not', cause.whyNot, style) : []),
    ...remedyFields(cause, style),
  ];
}

/** A cause without a remedy says itself when it works as designed. */
function remedyFields({ code, remedy, text }: Cause, style: Style): readonly string[] {
  // A name that does not exist is mended where it is written: the cause names the right one.
  if (remedy === null && code === 'unresolved') return [];
  if (remedy === null)
    return field('remedy', text.includes('as designed') ? 'none: it works as designed' : 'none is known', style);
  return remedy.map((line, i) => `  ${style.chalk.dim((i === 0 ? 'remedy' : '').padEnd(LABEL_WIDTH))}${style.chalk.bold(line)}`);
}

const PART_NAMES: Readonly<Record<Part, string>> = {
  request: 'on the way there',
  reply: 'on the way back',
  ack: 'the next packet',
  data: 'the data',
};

function place(event: TraceEvent): string {
  if (event.kind === 'rule' || event.kind === 'policy') return `, ${event.hook}`;
  if (event.kind === 'drop') return [event.hook, event.device].flatMap((part) => (part ? [`, ${part}`] : [])).join('');
  return 'device' in event ? `, ${event.device}` : '';
}

/** What became of the answer. */
function replyFate(outcome: Outcome, several: boolean): string {
  const { reply } = outcome;
  if (reply.length === 0) {
    if (outcome.source === null && outcome.server === null) return 'none: the request did not arrive';
    return outcome.verdict === 'connected' ? 'not followed' : 'none was sent';
  }
  const drop = reply.findLast((event) => event.kind === 'drop');
  const from = shortName(reply[0]!.host);
  if (drop) return `sent by ${from}, lost on ${shortName(drop.host)}: ${drop.reason}`;
  const what =
    reply[0]!.packet?.icmp && outcome.verdict !== 'connected'
      ? 'an ICMP error'
      : (reply[0]!.packet?.flags?.replaceAll(',', '-') ?? reply[0]!.packet?.chunk ?? 'the answer');
  const back = reply.findLast((event) => event.kind === 'nat' && event.type === 'snat' && event.after.src !== undefined);
  const rewritten =
    back?.kind === 'nat'
      ? `; ${shortName(back.host)} puts the source back to ${endpoint(back.after.src!, back.after.sport)}`
      : '';
  return `${what}${several ? '' : ` from ${from}`} reaches ${shortName(reply[reply.length - 1]!.host)}${rewritten}`;
}

function eventsOf(outcome: Outcome, leg: number, part: Part): readonly TraceEvent[] {
  // Leg 0 is the connection itself; further ones follow.
  const source = leg === 0 ? outcome : outcome.legs[leg - 1];
  if (source === undefined) return [];
  return part === 'data' ? (outcome.data ?? []) : source[part];
}
