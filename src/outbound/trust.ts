/** What a TLS connection trusts and shows: roots or pins, and the client certificate. */
import * as tls from 'node:tls';
import { authoritiesOf } from './certificates.ts';
import { codeOf } from './failures.ts';
import { OutboundFailure, type TlsChoices } from './outbound.ts';

/** In Node from 22.15. */
interface CertificateStores {
  readonly getCACertificates?: (type: 'default' | 'system') => readonly string[];
}

export type SecureContexts = (choices: TlsChoices) => tls.SecureContext;

/**
 * Makes a context for each connection. Reading all roots takes some 50 ms, so the context of the last extra roots is
 * kept; one with a client's key never is.
 */
export function secureContexts(): SecureContexts {
  let kept: { readonly roots: string; readonly context: tls.SecureContext } | undefined;
  return (choices) => {
    if (choices.pins.length > 0 || choices.client) return createContext(choices);
    const roots = choices.extraRoots.join('\n');
    if (kept?.roots !== roots) kept = { roots, context: createContext(choices) };
    return kept.context;
  };
}

/**
 * Throws OutboundFailure `unreachable` when a certificate or key can't be used. A root that is no certificate is passed
 * over by Node.
 */
function createContext({ pins, client, extraRoots }: TlsChoices): tls.SecureContext {
  try {
    return tls.createSecureContext({
      minVersion: 'TLSv1.2',
      ...(client && { cert: client.certificate, key: client.key }),
      ...(pins.length > 0
        ? // Without it a pinned intermediate would be refused for want of its root; Node before 20.18 does so.
          { ca: authoritiesOf(pins).map(String), allowPartialTrustChain: true }
        : roots(extraRoots)),
    });
  } catch (cause) {
    const what = client ? 'The client certificate and its key' : 'The trusted certificates';
    const code = codeOf(cause);
    throw new OutboundFailure(
      'unreachable',
      `${what} can't be used${code === undefined ? '' : ` (${code})`}`,
      { cause },
    );
  }
}

/** Nothing when Node's own default is all that is wanted: it is at hand already. */
function roots(extraRoots: readonly string[]): { ca?: string[] } {
  const { getCACertificates } = tls as CertificateStores;
  if (getCACertificates) {
    return {
      ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...extraRoots])],
    };
  }
  return extraRoots.length === 0 ? {} : { ca: [...tls.rootCertificates, ...extraRoots] };
}
