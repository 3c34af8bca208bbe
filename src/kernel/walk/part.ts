import type { ConnectionPart } from './connection.ts';
import type { Skb } from './skb.ts';

/** The part of the connection that an answer to a packet belongs to. What no one asks about is 'other'. */
export function answerPart(about: Skb): ConnectionPart {
  return about.part === 'request' && !about.outer ? 'reply' : 'other';
}
