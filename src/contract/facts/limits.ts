/** Limits of requests and recordings (contract §0.10). */
import { KIB, MIB } from '../../kernel/numbers/units.ts';

/** Bodies and heads, in bytes. */
export const VAULT_BODY_LIMIT_BYTES = 32 * KIB;
export const JSON_BODY_LIMIT_BYTES = 256 * KIB;
export const REQUEST_HEAD_LIMIT_BYTES = 64 * KIB;
export const UPLOAD_LIMIT_BYTES = 10 * MIB;
export const PROXY_BODY_LIMIT_BYTES = MIB;

/** The default page size, and the largest. */
export const PAGE_SIZE = { default: 20, most: 100 } as const;

/** Page sizes of numbered pages (contract §0.9). */
export const NUMBERED_PAGE_SIZE = { least: 1, default: 50, most: 100 } as const;
/** The most entries in a list of duplicates. */
export const DUPLICATES_LIMIT = 100;

/** The most identifiers that one page of the masked view of an entity has. */
export const VAULT_PAGE_SIZE = 500;
