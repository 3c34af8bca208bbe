import { packetView } from './packet-view.ts';
import type { KernelEvent, HookName } from '../../trace/event.ts';
import type { Origin } from '../../trace/origin.ts';
import type { Device } from '../device/device.ts';
import type { Packet } from '../../net/packet.ts';
import type { Host } from '../host.ts';
import type { Rule } from '../netfilter/iptables/table.ts';
import type { Listener } from '../socket/listener.ts';
import type { KernelState } from '../state.ts';
import type { World } from '../world.ts';
import type { Choices } from './choices.ts';
import type { ConnectionPart, Loss } from './connection.ts';
import type { Skb } from './skb.ts';

/** What remains to be done. A walk is a stack of these, so that what a packet gives birth to is followed to its end first. */
export type Step =
  /** A frame arrives on a device. */
  | { readonly kind: 'receive'; readonly host: string; readonly device: string; readonly skb: Skb }
  /** A frame with its MACs is handed to a device (dev_queue_xmit). */
  | { readonly kind: 'transmit'; readonly host: string; readonly device: string; readonly skb: Skb }
  /** A local packet with its route is sent (ip_local_out). */
  | { readonly kind: 'output'; readonly host: string; readonly skb: Skb };

/** Does one step of a walk. */
export type Perform = (walk: Walk, step: Step) => void;

/** An event before the walk adds host and packet. */
export type EventBody = Body<KernelEvent>;
type Body<E> = E extends KernelEvent ? Omit<E, 'host' | 'outer' | 'packet'> : never;

/** Sockets that a walk has to do with beside the listeners: both ends of the connection it walks. */
export interface SocketLayer {
  /** True: nobody answers, the walk ends where the request arrives. */
  readonly silent: boolean;
  /** True when a socket of the connection takes the packet. */
  receive(host: Host, skb: Skb): boolean;
  /** The owner of the connection's socket that would take the packet. */
  owner(host: Host, packet: Packet): string | null;
  /** A listener takes the packet; its answer goes out from here. */
  accept(host: Host, skb: Skb, listener: Listener): void;
  /** The sender's own send call fails. */
  fail(host: Host, skb: Skb, errno: string): void;
}

/**
 * Work after which a walk is given up, about one unit for an event. A packet with the greatest TTL that goes round through a tunnel needs
 * half of it; what needs more goes round without end.
 */
const MAX_WORK = 25_000;
/** About as many events come of one step beside those of rules. */
const WORK_OF_STEP = 8;
/** Looking at this many rules costs as much as an event. */
const RULES_PER_UNIT = 20;

/** One run of the simulation: its queue, its events, and the state it changes. */
export class Walk {
  readonly world: World;
  readonly state: KernelState;
  readonly choices: Choices;
  readonly recording: boolean;
  readonly events: Readonly<Record<ConnectionPart, KernelEvent[]>> = { request: [], reply: [], ack: [], data: [], other: [] };
  readonly losses: Loss[] = [];
  readonly unknownRules = new Set<string>();
  rulesLookedAt = 0;
  sockets: SocketLayer | null = null;
  /** What waits, the next one last. */
  readonly #steps: Step[] = [];
  /** What the step that is being done has given birth to, in order. */
  #born: Step[] = [];
  #later: (() => void)[] = [];
  #work = 0;
  #perform: Perform = () => undefined;

  constructor(world: World, state: KernelState, choices: Choices, recording: boolean) {
    this.world = world;
    this.state = state;
    this.choices = choices;
    this.recording = recording;
  }

  /** Adds a step: to be done after those added before it by the step that is being done, before what waits already. */
  push(step: Step): void {
    this.#born.push(step);
  }

  /** Something that happens when nothing else goes on any more: a timer. */
  later(timer: () => void): void {
    this.#later.push(timer);
  }

  /** Runs until nothing is left to do. */
  run(perform: Perform): void {
    this.#perform = perform;
    for (;;) {
      while (this.#born.length > 0) this.#steps.push(this.#born.pop()!);
      const step = this.#steps.pop();
      if (step) {
        if (this.givenUp) return;
        this.#work += WORK_OF_STEP;
        perform(this, step);
        continue;
      }
      const timer = this.#later.shift();
      if (!timer) return;
      timer();
    }
  }

  /**
   * Follows what `start` sends and what is no part of the connection: without events, over a copy of the state, by the same choices.
   * `ends` is asked before each step and says where it need not be followed further. Rules that are not modelled count for this walk too: what
   * is found there hangs on them. Losses do not: nobody waits for these packets.
   */
  follow(start: (aside: Walk) => void, ends: (step: Step) => boolean): void {
    const aside = new Walk(this.world, this.state.fork(), this.choices, false);
    start(aside);
    aside.run((walk, next) => {
      if (!ends(next)) this.#perform(walk, next);
    });
    this.#work += aside.work;
    for (const rule of aside.unknownRules) this.unknownRules.add(rule);
  }

  /** What has been done so far, whether events are recorded or not. */
  get work(): number {
    return this.#work;
  }

  /** True when it was too much: the walk ends unfinished. */
  get givenUp(): boolean {
    return this.#work > MAX_WORK;
  }

  /** Counts rules that were looked at, and those of them that matched; false when that was too much and the rest must not be looked at. */
  looked(rules: number, matched: number): boolean {
    this.#work += matched + rules / RULES_PER_UNIT;
    return !this.givenUp;
  }

  emit(skb: Skb, host: Host, body: EventBody): void {
    if (!this.recording) return;
    const { packet, mark, outer, part } = skb;
    if (skb.shown?.packet !== packet || skb.shown.mark !== mark) skb.shown = { packet, mark, view: packetView(skb) };
    const { view } = skb.shown;
    this.events[part].push(
      outer ? { host: host.name, outer, packet: view, ...body } : { host: host.name, packet: view, ...body },
    );
  }

  /** The packet ends here. `reason` is the kernel's drop reason, `where` the function. */
  drop(
    skb: Skb,
    host: Host,
    reason: string,
    where: string,
    more: {
      readonly hook?: HookName;
      readonly device?: string;
      readonly detail?: Readonly<Record<string, string>>;
      readonly origin?: Origin;
    } = {},
  ): void {
    this.losses.push({ part: skb.part, event: this.events[skb.part].length, host: host.name, reason });
    this.emit(skb, host, { kind: 'drop', reason, where, ...more });
  }

  noteUnknownRule(host: Host, rule: Pick<Rule, 'body' | 'source'>): void {
    const place = rule.source ? ` (${rule.source.file}:${rule.source.line})` : '';
    this.unknownRules.add(`${host.name}: ${rule.body}${place}`);
  }

  countRules(count: number): void {
    this.rulesLookedAt += count;
  }

  /** A device of a host that is up. */
  device(host: Host, name: string): Device | null {
    const device = host.devices.get(name);
    return device?.up ? device : null;
  }
}
