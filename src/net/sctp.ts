/** Chunk types of SCTP (RFC 9260 3.2) that open and end an association. */
export const SCTP_CHUNK = {
  INIT: 1,
  INIT_ACK: 2,
  ABORT: 6,
  SHUTDOWN: 7,
  SHUTDOWN_ACK: 8,
  ERROR: 9,
  COOKIE_ECHO: 10,
  COOKIE_ACK: 11,
  SHUTDOWN_COMPLETE: 14,
} as const;

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(SCTP_CHUNK).map(([name, number]) => [number, name.replaceAll('_', '-')]),
);

/** Number of a chunk by its name; undefined for a name that {@link chunkName} does not give. */
export function chunkNumber(name: string): number | undefined {
  for (const [number, known] of NAMES) if (known === name) return number;
  return name.startsWith('chunk ') ? Number(name.slice('chunk '.length)) : undefined;
}

/** "INIT-ACK"; "chunk 3" for one without a name here. */
export function chunkName(chunk: number): string {
  return NAMES.get(chunk) ?? `chunk ${chunk}`;
}
