import { assertNever } from '../../support/assert-never.ts';
import { localOut } from './output.ts';
import { receive } from './receive.ts';
import { transmitFrame } from './transmit.ts';
import type { KernelEvent } from '../../trace/event.ts';
import type { Step, Walk } from './walk.ts';

/** Does one step of a walk. */
export function perform(walk: Walk, step: Step): void {
  const host = walk.world.host(step.host);
  if (!host) return;
  switch (step.kind) {
    case 'receive':
      receive(walk, host, step.device, step.skb);
      return;
    case 'output':
      localOut(walk, host, step.skb);
      return;
    case 'transmit':
      transmitFrame(walk, host, step.device, step.skb);
      return;
    default:
      assertNever(step);
  }
}

/** The reply's events; none for an error that died in the OUTPUT of the host that made it: no packet ever came back. */
export function replyOf({ events: { reply } }: Walk): readonly KernelEvent[] {
  const neverSent = reply[0]?.packet?.icmp !== undefined && !reply.some(({ kind }) => kind === 'tx');
  return neverSent ? [] : reply;
}
