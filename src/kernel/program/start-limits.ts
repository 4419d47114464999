/** The longest waits of a start, for the daemon and for the command that starts it. */
import { SECOND_MS } from '../numbers/units.ts';

/** docs/architecture.md#vault: a keychain that takes longer at the first start is not usable for a daemon. */
export const KEYCHAIN_LIMIT_MS = 10 * SECOND_MS;
/** Between lock and address of a start; the first one asks the keychain in between. */
export const ADDRESS_LIMIT_MS = KEYCHAIN_LIMIT_MS + 5 * SECOND_MS;
