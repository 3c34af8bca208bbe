import type { Relay } from './relay.ts';
import { ingressRelay } from './ingress-relay.ts';
import { userspaceRelay } from './userspace-relay.ts';

/** The kinds of processes that pass on what they get. */
export const RELAYS: readonly Relay[] = [userspaceRelay, ingressRelay];
