import { findCheck } from '../usecase/find-check.ts';
import { UsageError } from './errors.ts';
import type { Scenario } from '../scenario/scenario.ts';

type Check = Scenario['checks'][number];
type Probe = Check['before'][number];

/** The flags that say which connection is asked about. */
export interface ProbeOptions {
  readonly from?: string;
  readonly to?: string;
  readonly proto?: 'tcp' | 'udp' | 'sctp' | 'icmp';
  readonly sport?: number;
  readonly check?: string;
  readonly backend?: string;
  readonly via?: 'kubectl-proxy' | 'port-forward' | 'exec';
}

/** A question and the circumstances that its check adds. */
export interface AskedProbe {
  readonly probe: Probe;
  /** The check it comes from; null when --from and --to say everything. */
  readonly check: Check | null;
}

/**
 * The connection a command line asks about: that of --check, else --from and --to, else the file's first check. Other flags change
 * what a check says.
 * @throws UsageError
 */
export function probeOf(options: ProbeOptions, checks: readonly Check[]): AskedProbe {
  const check = options.check === undefined ? defaultCheck(options, checks) : namedCheck(options.check, checks);
  const base = check ?? emptyProbe(options);
  const probe: Probe = {
    from: options.from ?? base.from,
    to: options.to ?? base.to,
    protocol: options.proto ?? base.protocol,
    sourcePort: options.sport ?? base.sourcePort,
    sourceAddress: base.sourceAddress,
    payload: base.payload,
    dontFragment: base.dontFragment,
    ttl: base.ttl,
    backend: options.backend ?? base.backend,
    via: options.via ?? base.via,
  };
  return { probe, check };
}

function defaultCheck(options: ProbeOptions, checks: readonly Check[]): Check | null {
  if (options.from !== undefined || options.to !== undefined) return null;
  const [first] = checks;
  if (first === undefined)
    throw new UsageError('nothing to trace: give --from and --to', 'for example: --from pod/client --to svc/web:80');
  return first;
}

function namedCheck(wanted: string, checks: readonly Check[]): Check {
  const result = findCheck(checks, wanted);
  if (result.ok) return result.value;
  const list = checks.map((check, i) => `${i + 1} "${check.name}"`).join(', ');
  throw new UsageError(result.message, checks.length === 0 ? 'the input has no checks' : `checks: ${list}`);
}

function emptyProbe({ from, to }: ProbeOptions): Probe {
  if (from === undefined) throw new UsageError('--from is missing', 'for example: --from pod/client');
  if (to === undefined) throw new UsageError('--to is missing', 'for example: --to svc/web:80');
  return {
    from,
    to,
    protocol: null,
    sourcePort: null,
    sourceAddress: null,
    payload: null,
    dontFragment: null,
    ttl: null,
    backend: null,
    via: null,
  };
}
