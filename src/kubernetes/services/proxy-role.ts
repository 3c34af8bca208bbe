/** What a piece of kernel state that kube-proxy made is for; `Origin.role` of everything it makes is one of these. */
export const PROXY_ROLES = [
  /** From a base chain to one of kube-proxy's. */
  'jump',
  /** Leads a cluster IP, an external IP, a load balancer IP or a node port to the service's own chains. */
  'cluster-ip',
  'external-ip',
  'load-balancer-ip',
  'node-port',
  /** Leads what is addressed to the node to the node ports. */
  'node-ports',
  /** Looks up in a map or set where the packet goes, all services at once (nftables, IPVS). */
  'dispatch',
  /** IPVS will choose an endpoint: the packet goes on to it. */
  'service-accept',
  /** Needs nothing from the chain. */
  'leave-alone',
  /** Refuses what goes to a cluster IP but to none of its ports; drops what goes to a service address nobody has. */
  'unknown-port',
  'unallocated-ip',
  /** Lets the health check of a load balancer in. */
  'health-check',
  /** Refuses (REJECT) or drops what has no endpoint, or none that the traffic policy allows. */
  'no-endpoints',
  'no-local-endpoints',
  /** Drops what loadBalancerSourceRanges don't allow; the allowed ranges; the end of that list. */
  'source-range',
  'source-range-allow',
  'source-range-end',
  /** Marks traffic for masquerading: from outside, from one endpoint to itself. */
  'masquerade-mark',
  'hairpin-mark',
  /** externalTrafficPolicy: pods and the node itself may use all endpoints, others what the policy says. */
  'pod-short-circuit',
  'local-short-circuit',
  'external-policy',
  /** Chooses an endpoint: the remembered one, or at random. */
  'affinity',
  'balance',
  /** Rewrites the destination to an endpoint. */
  'endpoint',
  /** Lets in what was sent to a port of kube-proxy's own (userspace). */
  'proxy-port',
  /** The masquerade mark: set; unmarked traffic is left alone; cleared; obeyed. */
  'set-mark',
  'unmarked',
  'clear-mark',
  'masquerade',
  /** Forwarding: invalid packets are dropped, marked and known connections let through. */
  'invalid-drop',
  'forward-accept',
  'established-accept',
  /** Keeps others from reaching 127.0.0.0/8 while route_localnet is on. */
  'localnet-guard',
  /** Before 1.28 packets to be dropped were marked in nat and dropped in filter; only dumps have these. */
  'drop-mark',
  'marked-drop',
] as const;

export type ProxyRole = (typeof PROXY_ROLES)[number];
