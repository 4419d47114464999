/** Words of the control plane for which no noun has a file of its own (contract §11). */

export const CLOCK_MODES = ['real', 'offset', 'frozen'] as const;
export const CLOCK_ACTIONS = ['freeze', 'set', 'advance', 'offset', 'resume'] as const;

/** Why nothing is written now. Reads are served: they may be all that is left of the store. */
export const UNWRITABLE_REASONS = [
  'store_missing',
  'storage_full',
  'storage_failed',
  'vault_damaged',
] as const;

/** Why an instance doesn't serve requests, or not all. */
export const UNREADY_REASONS = [
  'starting',
  'migrating',
  'sealed',
  'recovering',
  'stopping',
  ...UNWRITABLE_REASONS,
] as const;
export type UnreadyReason = (typeof UNREADY_REASONS)[number];

export const STORAGE_KINDS = ['durable', 'ephemeral'] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

/** The ways to unlock a vault. */
export const SLOT_KINDS = ['keychain', 'passphrase', 'key_file', 'environment', 'recovery'] as const;
export type SlotKind = (typeof SLOT_KINDS)[number];
/** The kinds that can be added while the vault is open. */
export const NEW_SLOT_KINDS = ['passphrase', 'key_file', 'recovery'] as const;
export type NewSlotKind = (typeof NEW_SLOT_KINDS)[number];

/** Where a fault rule cuts the connection: before the response, or within its body. */
export const FAULT_ABORTS = ['connection', 'body'] as const;

/** In the order of the specification. The word of `name_dobname` is configurable (contract §0.13). */
export const DUPLICATE_KINDS = [
  'ssn9',
  'email',
  'phone_number',
  'name_dobname',
  'device_id',
  'cookie_id',
  'selfie',
  'name_ssn4',
  'dob_ssn4',
  'bank_routing_account',
  'card_number_cvc',
  'identity_document_number',
] as const;
export type DuplicateKind = (typeof DUPLICATE_KINDS)[number];

/** The range of statuses that a fault rule may use, and its longest latency. */
export const FAULT_STATUS = { least: 400, most: 599 } as const;
export const FAULT_LATENCY_MS = { least: 0, most: 60_000 } as const;

export const DEFAULT_PORT = 4_630;

/** Types of messages in the stream of an instance (contract §11). */
export const STREAM_TYPES = [
  'request',
  'access',
  'event',
  'delivery',
  'onboarding',
  'clock',
  'fault',
] as const;
export type StreamType = (typeof STREAM_TYPES)[number];
