/** The headers that the proxy reads; any other of the kind, a misspelt one for instance, is shown. */
export const READ_BY_PROXY: readonly string[] = [
  ...['x-fp-id', 'x-fp-access-reason', 'x-fp-path-and-query'],
  ...['target-url', 'method', 'access-reason', 'client-cert', 'client-key', 'pin-cert'].map(
    (name) => `x-fp-proxy-${name}`,
  ),
  ...['x-fp-proxy-ingress-content-type', 'x-fp-proxy-ingress-rule'],
];
