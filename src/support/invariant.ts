/** Thrown when k8snet itself is wrong (never for bad input): the command line turns it into exit code 3. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** States what must hold; a violation is a fault of k8snet. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
