import type { TransportProtocol } from '../../net/protocol.ts';
import { didYouMean } from './lookup.ts';
import { parsePort } from './parse.ts';
import { found, refused } from './ref.ts';
import { nearest } from '../../support/nearest.ts';
import type { Result } from './ref.ts';

/** A port that an object declares. */
export interface OfferedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: TransportProtocol;
}

export interface ChosenPort {
  readonly port: number;
  readonly protocol: TransportProtocol;
  /** Set when the reference left a choice open. */
  readonly assumption: string | null;
}

/**
 * The port and protocol of a reference: a number, a declared name, or - when the reference gives none - the only declared port.
 * A number need not be declared (then tcp, unless said otherwise).
 */
export function choosePort(
  label: string,
  offered: readonly OfferedPort[],
  text: string | null,
  protocol: TransportProtocol | null,
): Result<ChosenPort> {
  const usable = protocol === null ? offered : offered.filter((p) => p.protocol === protocol);
  if (text === null) return onlyPort(label, offered, usable);
  if (/^\d+$/.test(text)) {
    const port = parsePort(text);
    if (port === null) return refused(`"${text}" is not a port (1 to 65535)`);
    return found(
      pickProtocol(
        label,
        usable.filter((p) => p.port === port),
        port,
        protocol,
      ),
    );
  }
  const named = usable.filter((p) => p.name === text);
  if (named.length > 0) return found(pickProtocol(label, named, named[0]!.port, protocol));
  const names = offered.map((p) => p.name).filter((name) => name !== '');
  return refused(
    `${label} has no port named "${text}"${names.length > 0 ? didYouMean(nearest(text, names), names) : '; its ports have no names'}`,
  );
}

function onlyPort(label: string, offered: readonly OfferedPort[], usable: readonly OfferedPort[]): Result<ChosenPort> {
  if (usable.length === 1) return found({ port: usable[0]!.port, protocol: usable[0]!.protocol, assumption: null });
  if (usable.length > 1) return refused(`${label} has several ports, name one: ${list(usable)}`);
  return refused(
    offered.length > 0
      ? `${label} has no such port; it has ${list(offered)}`
      : `${label} declares no port; name one: ${label}:8080`,
  );
}

function pickProtocol(
  label: string,
  matching: readonly OfferedPort[],
  port: number,
  wanted: TransportProtocol | null,
): ChosenPort {
  const protocol = wanted ?? matching[0]?.protocol ?? 'tcp';
  const protocols = matching.map((p) => p.protocol);
  const assumption =
    wanted === null && protocols.length > 1
      ? `${label}:${port} is offered over ${protocols.join(' and ')}; ${protocol} was taken`
      : null;
  return { port, protocol, assumption };
}

function list(ports: readonly OfferedPort[]): string {
  return ports.map((p) => `${p.port}/${p.protocol}${p.name === '' ? '' : ` (${p.name})`}`).join(', ');
}
