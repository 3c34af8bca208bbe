import type { HostName } from '../../kernel/host.ts';
import type { Balancer } from '../../kubernetes/balancer/balancers.ts';
import type { Cause } from '../../trace/outcome.ts';
import type { Made } from '../explore.ts';
import type { Step } from '../journey/step.ts';

/** A health check that a balancer has made. */
export interface HealthCheck {
  readonly node: string;
  readonly healthy: boolean;
  /** "HTTP 503, no local endpoints"; null: none came. */
  readonly answer: string | null;
  readonly made: Made<Step>;
  /** Why no answer came; null where one did. */
  readonly cause: Cause | null;
}

/** What balancers know of nodes. Each asks only once a packet gets to it. */
export interface NodeHealth {
  /** The checks of the balancer that is this host; none for other hosts. */
  readonly checksOf: (host: HostName) => readonly HealthCheck[];
  readonly unhealthy: (balancer: Balancer) => ReadonlySet<string>;
}
