/** What a terminal shows of a link for a phone: a QR code, where the instance listens beyond loopback. */
import { LOOPBACK_HOSTS } from '../../contract/facts/requests.ts';
import { qrCode } from './qr-code.ts';

/** Every address of the machine, which is none that a phone could ask for. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** `note` says why there is no code where somebody may expect one. Undefined: nothing is for a phone. */
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
