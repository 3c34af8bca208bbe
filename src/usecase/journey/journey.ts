import type { ConnectionRequest } from '../../kernel/walk/connection.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import { planSequence } from '../plan.ts';
import type { Plan } from '../plan.ts';
import type { Question } from '../question.ts';
import { found } from '../refs/ref.ts';
import type { Result } from '../refs/ref.ts';
import { passOn } from './relay.ts';
import { afterwards, connectTo, end } from './step.ts';
import type { Start, Step } from './step.ts';

/** All connections that a question leads to, as a story that unfolds. */
export interface Journey {
  readonly start: Start;
  /** "pod/default/client" */
  readonly from: string;
  /** As it is told: "svc/default/web:80", "web.shop:80". */
  readonly to: string;
  readonly protocol: string;
  readonly assumptions: readonly string[];
  /** Whose sockets are bound to an address that the question names. */
  readonly bound: readonly Pick<ConnectionRequest, 'host' | 'sourceAddress'>[];
}

/** Plans what a question asks for; what can't be looked up is refused. */
export function planJourney(cluster: Cluster, question: Question): Result<Journey> {
  const { probe, before, namespace, noReply, firstSourcePort } = question;
  const planned = planSequence(cluster, probe, before, {
    namespace,
    noReply,
    ...(firstSourcePort !== undefined && { firstSourcePort }),
  });
  if (!planned.ok) return planned;
  const { asked, before: earlier } = planned.value;
  const step: Step = {
    ...asked,
    purpose: 'asked',
    text: null,
    next: (result, choices) => passOn({ cluster, step, result, http: null, pin: asked.pin, choices, relayed: 0 }),
  };
  return found(direct(step, earlier));
}

/** One more packet of a connection that stands. */
export function continuedJourney(plan: Plan): Journey {
  return { ...direct({ ...plan, purpose: 'asked', text: null, next: () => end() }, []), bound: [] };
}

function direct(asked: Step, before: readonly Plan[]): Journey {
  const { source, destination, request } = asked;
  return {
    start: afterwards(before, () => connectTo(asked)),
    from: source.label,
    to: destination.label,
    protocol: request.protocol,
    assumptions: [...new Set([...source.assumptions, ...destination.assumptions])],
    bound: [...before, asked].map((plan) => plan.request),
  };
}
