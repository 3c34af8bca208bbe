import type { ConnectionRequest, ConnectionResult } from '../kernel/walk/connection.ts';
import type { Check } from '../kubernetes/model/check.ts';
import type { LaboratoryResult } from './laboratory.ts';
import { planConnection } from './plan.ts';
import type { Plan } from './plan.ts';
import type { Question } from './question.ts';
import { found, refused } from './refs/ref.ts';
import type { Result } from './refs/ref.ts';

/** A connection that a check has made. */
interface Made {
  readonly plan: Plan;
  readonly result: ConnectionResult;
  readonly clientEnded: boolean;
}

/** The connections of a scenario's checks, which later checks may continue. */
export class Connections {
  readonly #made = new Map<string, Made>();

  /** The latest connection of a check's name counts. */
  remember(check: Check, plan: Plan, result: ConnectionResult): void {
    this.#made.set(check.name, { plan, result, clientEnded: false });
  }

  /** Processes of this name ("pod/default/web-1") are gone, and their sockets with them. */
  end(name: string): void {
    for (const [check, made] of this.#made) {
      const { established } = made.result;
      const { request } = made.plan;
      const clientEnded = made.clientEnded || request.owner === name || request.host === name;
      const serverEnded = established?.server != null && (established.server.owner === name || established.server.host === name);
      const result = serverEnded && established ? { ...made.result, established: { ...established, server: null } } : made.result;
      this.#made.set(check, { ...made, clientEnded, result });
    }
  }

  /** What a check asks: a new connection, or one more packet of an earlier one. */
  questionOf(
    check: Check,
    opened: LaboratoryResult,
    options: { readonly namespace?: string; readonly noReply?: boolean },
    firstSourcePort: number,
  ): Result<Question> {
    const question: Question = {
      probe: check,
      before: check.before,
      namespace: options.namespace ?? 'default',
      noReply: options.noReply ?? false,
      firstSourcePort,
    };
    if (check.continues === undefined) return found(question);
    const made = this.#made.get(check.continues);
    const what = `the connection of "${check.continues}"`;
    if (made === undefined) return refused(`${what} was never made`);
    if (made.clientEnded) return refused(`${what} can't go on: its client ${made.plan.request.owner} is gone`);
    const request = nextPacket(made, check);
    if (request === null) return refused(`${what} can't go on: it ended with ${made.result.errno ?? made.result.verdict}`);
    return found({ ...question, continues: { ...upToDate(made.plan, opened, question), request } });
  }
}

/** The request of one more packet: of TCP on the sockets that stand, of others from the same port. null: there is no connection. */
function nextPacket({ plan, result }: Made, check: Check): ConnectionRequest | null {
  const { payload, dontFragment, ttl } = check;
  const request = { ...plan.request, payload, dontFragment, ttl };
  if (request.protocol === 'tcp') return result.established ? { ...request, established: result.established } : null;
  return result.local ? { ...request, sourcePort: result.local.port, sourceAddress: result.local.address } : null;
}

/** What the addresses of a connection mean now; as they were, where the name that was asked for is gone or means another address. */
function upToDate(plan: Plan, opened: LaboratoryResult, { probe, namespace }: Question): Plan {
  if (!opened.ok) return plan;
  const now = planConnection(opened.laboratory.cluster, probe, { namespace, defaultSourcePort: plan.request.sourcePort ?? 0 });
  return now.ok && now.value.request.destination === plan.request.destination
    ? { ...now.value, pin: null }
    : { ...plan, pin: null };
}
