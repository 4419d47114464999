/** Shows a link for a phone on a terminal: a QR code, if the instance listens beyond loopback. */
import { LOOPBACK_HOSTS } from '../../contract/facts/requests.ts';
import { qrCode } from './qr-code.ts';

/** Wildcard addresses, which a phone can't connect to. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** `note` explains a missing code that the user may expect. Undefined if nothing is meant for a phone. */
export function phoneLink(
  link: string,
  terminal: { readonly columns: number | undefined; readonly hasColour: boolean },
): { readonly code: string } | { readonly note: string } | undefined {
  const { hostname } = new URL(link);
  if (LOOPBACK_HOSTS.includes(hostname) || /^127\./.test(hostname)) return undefined;
  if (EVERY_ADDRESS.has(hostname)) {
    return {
      note: 'No QR code: the instance listens on every address, and a phone needs one of them. Start it with --host ADDRESS',
    };
  }
  const code = qrCode(link, terminal);
  return code === undefined ? { note: 'No QR code: the terminal is too narrow for it' } : { code };
}
