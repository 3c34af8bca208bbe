/**
 * What packets leave behind in every namespace: conntrack entries, learnt neighbours, counters, recent lists, sets changed by rules,
 * and the simulated clock. Forked for each branch of a walk; a fork copies a host's part when it is first touched.
 */
export class KernelState {
  /** Milliseconds since the simulation began. */
  now = 0;

  /** An independent copy. */
  fork(): KernelState {
    const copy = new KernelState();
    copy.now = this.now;
    return copy;
  }
}
