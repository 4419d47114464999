/** The certificates of a TLS connection: trusted roots or pins, and the client certificate. */
import * as tls from 'node:tls';
import { authoritiesOf } from './certificates.ts';
import { codeOf } from './failures.ts';
import { OutboundFailure, type TlsChoices } from './outbound.ts';

/** Available in Node from 22.15. */
interface CertificateStores {
  readonly getCACertificates?: (type: 'default' | 'system') => readonly string[];
}

export type SecureContexts = (choices: TlsChoices) => tls.SecureContext;

/**
 * Creates a context for each connection. Reading all roots takes some 50 ms, so the context of the last extra roots is
 * cached. A context with a client's key never is.
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
 * Throws OutboundFailure `unreachable` when a certificate or key is unusable. Node ignores a root that is no
 * certificate.
 */
function createContext({ pins, client, extraRoots }: TlsChoices): tls.SecureContext {
  try {
    return tls.createSecureContext({
      minVersion: 'TLSv1.2',
      ...(client && { cert: client.certificate, key: client.key }),
      ...(pins.length > 0
        ? // Without this, Node before 20.18 refuses a pinned intermediate because its root is missing.
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

/** Empty when Node's default, which is loaded already, is sufficient. */
function roots(extraRoots: readonly string[]): { ca?: string[] } {
  const { getCACertificates } = tls as CertificateStores;
  if (getCACertificates) {
    return {
      ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...extraRoots])],
    };
  }
  return extraRoots.length === 0 ? {} : { ca: [...tls.rootCertificates, ...extraRoots] };
}
