/** What a balancer connects, as `host:port`. */
export interface BalancerAddresses {
  /** Where clients come. */
  readonly publicAddress: string;
  /** Where gateways come to reach auth services. */
  readonly authAddress: string;
  /** Where clients come with TLS, and the files of the certificate; undefined: without TLS. */
  readonly tls: { readonly address: string; readonly certificate: string; readonly key: string } | undefined;
  /** How many requests at a time one client may have. Default: that of the example configuration. */
  readonly maxRequestsPerAddress?: number;
  readonly gateways: readonly [string, string];
  readonly authServices: readonly [string, string];
}

export interface Balancing {
  stop(): Promise<void>;
}
