/**
 * Who made a piece of kernel state and for what. Opaque to the kernel room, which only copies it into events.
 * It is why a trace can say "because of Service shop/web".
 */
export interface Origin {
  /** The Kubernetes object behind it: "Service shop/web", "Pod default/web-1", "Node node-1"; null when there is none. */
  readonly object: string | null;
  /** Who made it: "kube-proxy", "flannel", "portmap", "kubelet", "bridge-plugin", "underlay", "operator", "dump". */
  readonly by: string;
  /** What it does, from the closed list of its maker: "no-endpoints", "source-range", "pod-veth" ... */
  readonly role?: string;
}
