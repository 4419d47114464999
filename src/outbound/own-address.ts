/** The emulator never calls itself: no policy permits its own address and port as a target (contract §3.3). */
import { networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import { canonicalAddress, classOf } from './address-policy.ts';
import type { OutboundContext } from './outbound.ts';

/**
 * Whether a connection to `address` and `port` would reach the emulator. If it listens on all addresses or on a name,
 * any address of this machine reaches it. An unspecified address connects to this machine, too.
 */
export function isOwnAddress(
  address: string,
  port: number,
  { host, port: own }: OutboundContext['self'],
): boolean {
  if (port !== own) return false;
  const { kind } = classOf(address);
  if (kind === 'loopback' || kind === 'unspecified') return true;
  if (host === undefined) return false;
  const bare = host.replace(/^\[|\]$/g, '');
  const canonical = canonicalAddress(address);
  if (isIP(bare) !== 0 && classOf(bare).kind !== 'unspecified') return canonical === canonicalAddress(bare);
  return machineAddresses().some((each) => canonicalAddress(each) === canonical);
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
}
