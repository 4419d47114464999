/**
 * Describes TLS errors and alerts in words. OpenSSL versions name an alert differently; only the end of the name is
 * stable.
 */
import { codeOf, inWords } from './failures.ts';

const ALERTS: Readonly<Record<string, string>> = {
  CERTIFICATE_REQUIRED: 'wants a client certificate',
  BAD_CERTIFICATE: 'refused the client certificate',
  CERTIFICATE_UNKNOWN: 'refused the client certificate',
  UNSUPPORTED_CERTIFICATE: 'refused the client certificate',
  CERTIFICATE_REVOKED: 'refused the client certificate as revoked',
  CERTIFICATE_EXPIRED: 'refused the client certificate as expired',
  UNKNOWN_CA: 'refused the client certificate, whose authority it does not know',
  ACCESS_DENIED: 'refused the client certificate',
  DECRYPT_ERROR: 'refused the handshake: a signature of it is wrong',
  PROTOCOL_VERSION: 'offers no TLS 1.2 or later',
  INSUFFICIENT_SECURITY: 'wants a stronger cipher',
  UNRECOGNIZED_NAME: 'does not know the host name',
  NO_APPLICATION_PROTOCOL: 'speaks no HTTP/1.1',
};
const ALERTS_WITHOUT_CERTIFICATE: Readonly<Record<string, string>> = {
  HANDSHAKE_FAILURE: 'refused the handshake; it may want a client certificate',
  BAD_CERTIFICATE: 'wants a client certificate',
};

/** OpenSSL's error codes for a response that is not TLS. */
const NO_TLS =
  /_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|HTTPS_PROXY_REQUEST|BAD_RECORD_TYPE|RECORD_LAYER_FAILURE)$/;
const TOO_OLD = /_(?:UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW)$/;

interface Circumstances {
  /** `host:port`. */
  readonly target: string;
  /** Whether the request has a client certificate. */
  readonly showsCertificate: boolean;
}

/** Describes a failed handshake; `cause` is undefined when the peer just closed the connection. */
export function tlsFailure(cause: unknown, circumstances: Circumstances): string {
  const { target, showsCertificate } = circumstances;
  const code = codeOf(cause);
  const alert = alertIn(cause, circumstances);
  if (alert !== undefined) return alert;
  if (code === undefined || code === 'ECONNRESET' || code === 'EPIPE') {
    const hint = showsCertificate ? 'not accept the client certificate' : 'want a client certificate';
    return `${target} closed the connection during the TLS handshake (${code ?? 'ECONNRESET'}); it may ${hint}, or speak no TLS`;
  }
  if (NO_TLS.test(code)) return `${target} speaks no TLS, but the URL says https (${code})`;
  if (TOO_OLD.test(code)) return `${target} offers no TLS 1.2 or later (${code})`;
  return `The TLS handshake with ${target} failed: ${inWords(cause, 'it was not understood')}`;
}

/** Describes a fatal alert; undefined when `cause` is none. In TLS 1.3 an alert may arrive after the handshake. */
export function alertIn(cause: unknown, { target, showsCertificate }: Circumstances): string | undefined {
  const code = codeOf(cause);
  const name = code?.split('_ALERT_')[1];
  if (code === undefined || name === undefined) return undefined;
  const words =
    (showsCertificate ? undefined : ALERTS_WITHOUT_CERTIFICATE[name]) ??
    ALERTS[name] ??
    'refused the TLS connection';
  return `${target} ${words} (${code})`;
}
