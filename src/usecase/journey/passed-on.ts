import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Plan } from '../plan.ts';
import type { HttpRequest } from './http.ts';
import { balancerRemarks } from '../balancer/notes.ts';
import { passOn } from './relay.ts';
import { RELAYS } from './relays.ts';
import { remarked } from './step.ts';
import type { Step } from './step.ts';

/** A connection with what comes of it where a process passes it on. */
export function passedOn(cluster: Cluster, plan: Plan, purpose: Step['purpose'], http: HttpRequest | null = null): Step {
  const step: Step = {
    ...plan,
    purpose,
    text: null,
    next: (result, choices, state) => {
      const move = passOn({ cluster, relays: RELAYS, step, result, http, pin: plan.pin, choices, state, relayed: 0 });
      return remarked(move, balancerRemarks(cluster, plan, result));
    },
  };
  return step;
}
