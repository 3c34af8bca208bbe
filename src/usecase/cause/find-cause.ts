import type { Cause } from '../../trace/outcome.ts';
import { findSite } from './evidence.ts';
import type { Diagnose, Evidence } from './evidence.ts';
import { balancerRefuses } from './balancer-refuses.ts';
import { echoIgnored } from './echo-ignored.ts';
import { ruleDropped } from './dropped-by-rule.ts';
import { changedDevice, deviceDown } from './device.ts';
import { forgottenConnection } from './forgotten-connection.ts';
import { hairpinOff } from './hairpin-off.ts';
import { forwardingOff, martianSource, ownSourceAddress, reversePath } from './input-check.ts';
import { mtuExceeded, ttlExpired } from './limits.ts';
import { missingFdb, neighbourFailed } from './neighbour.ts';
import { portNotListening } from './port-not-listening.ts';
import { wrongPublicIp } from './public-ip.ts';
import { replyNotTranslated } from './reply-not-translated.ts';
import { noRoute, routeRefuses } from './route.ts';
import { routingRuleRefuses } from './routing-rule.ts';
import { serviceAddress } from './service-address.ts';
import { noRealServers } from './service-refuses.ts';
import { tunnelBlocked } from './tunnel-blocked.ts';
import { underlayFirewall } from './underlay-firewall.ts';
import { unknownRule } from './unknown-rule.ts';
import { wrongFdb, wrongNeighbour } from './wrong-entry.ts';
import { whyNot } from './why-not.ts';

/** In order: what looks at more than the kernel's word for a drop comes before what takes that word. */
const DIAGNOSES: readonly Diagnose[] = [
  underlayFirewall,
  wrongFdb,
  wrongPublicIp,
  tunnelBlocked,
  balancerRefuses,
  ruleDropped,
  noRealServers,
  forgottenConnection,
  changedDevice,
  wrongNeighbour,
  serviceAddress,
  hairpinOff,
  mtuExceeded,
  ttlExpired,
  martianSource,
  ownSourceAddress,
  reversePath,
  replyNotTranslated,
  portNotListening,
  echoIgnored,
  missingFdb,
  neighbourFailed,
  forwardingOff,
  deviceDown,
  routeRefuses,
  routingRuleRefuses,
  noRoute,
];

/** The one cause of an outcome that is not well; null for one that is, and where nothing is known. */
export function findCause(evidence: Evidence): Cause | null {
  const unknown = unknownRule(evidence.result);
  if (unknown) return unknown;
  if (isWell(evidence)) return null;
  const site = findSite(evidence.result);
  if (!site) return null;
  for (const diagnose of DIAGNOSES) {
    const cause = diagnose(evidence, site);
    if (cause) {
      const condition = whyNot(evidence, site, cause);
      return condition === null ? cause : { ...cause, whyNot: condition };
    }
  }
  return null;
}

/** A TCP client whose ACK is lost believes it is connected, though no server knows of it: not well. So is a lost segment. */
function isWell({ result, request }: Evidence): boolean {
  if (request.noReply) return result.server !== null;
  if (result.verdict !== 'connected') return false;
  const blackHole =
    result.losses.some((loss) => loss.part === 'data') &&
    !result.data.some((event) => event.kind === 'socket' && event.action === 'deliver');
  return result.server !== null && !blackHole;
}
