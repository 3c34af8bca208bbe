import type { ConnectionRequest } from '../../kernel/walk/connection.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import { FIRST_SOURCE_PORT, planBefore, planConnection } from '../plan.ts';
import { planKubectl } from './kubectl.ts';
import type { Plan } from '../plan.ts';
import type { Question } from '../question.ts';
import { found } from '../refs/ref.ts';
import type { Result } from '../refs/ref.ts';
import { passOn } from './relay.ts';
import { RELAYS } from './relays.ts';
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
  const { probe, before, firstSourcePort = FIRST_SOURCE_PORT } = question;
  const earlier = planBefore(cluster, before, { namespace: question.namespace, firstSourcePort });
  if (!earlier.ok) return earlier;
  if (probe.via !== null) return kubectlJourney(cluster, question, earlier.value);
  const planned = planConnection(cluster, probe, { ...question, defaultSourcePort: firstSourcePort });
  if (!planned.ok) return planned;
  const asked = planned.value;
  return found(direct(passedOn(cluster, asked, 'asked'), inOrder(cluster, earlier.value)));
}

/** A connection with what comes of it where a process passes it on. */
function passedOn(cluster: Cluster, plan: Plan, purpose: Step['purpose']): Step {
  const step: Step = {
    ...plan,
    purpose,
    text: null,
    next: (result, choices, state) =>
      passOn({ cluster, relays: RELAYS, step, result, http: null, pin: plan.pin, choices, state, relayed: 0 }),
  };
  return step;
}

function inOrder(cluster: Cluster, before: readonly Plan[]): readonly Step[] {
  return before.map((plan) => passedOn(cluster, plan, 'before'));
}

function kubectlJourney(cluster: Cluster, question: Question, before: readonly Plan[]): Result<Journey> {
  const { probe, namespace, noReply, firstSourcePort = FIRST_SOURCE_PORT } = question;
  const planned = planKubectl(cluster, probe, { namespace, noReply, sourcePort: firstSourcePort });
  if (!planned.ok) return planned;
  const { start, source, label, assumptions, asked } = planned.value;
  return found({
    start: afterwards(inOrder(cluster, before), start),
    from: source.label,
    to: `${label} via ${probe.via}`,
    protocol: 'tcp',
    assumptions,
    bound: [...before, asked].map((plan) => plan.request),
  });
}

/** One more packet of a connection that stands. */
export function continuedJourney(plan: Plan): Journey {
  return { ...direct({ ...plan, purpose: 'asked', text: null, next: () => end() }, []), bound: [] };
}

function direct(asked: Step, before: readonly Step[]): Journey {
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
