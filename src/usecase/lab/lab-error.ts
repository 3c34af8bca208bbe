/** A scenario that can't be built from network namespaces, or a machine that can't build it. The message says why. */
export class LabError extends Error {
  override readonly name = 'LabError';
}
