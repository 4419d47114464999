/** The console's way in: its header, its limits, and what a session may do at the control plane (contract §11.1). */
import { PERMISSIONS, type Permission } from '../../contract/facts/permissions.ts';
import { CONTROL_PREFIX, type MethodAndPath } from '../requests/facts.ts';

/** The address of the page, and the path of its cookie. */
export const CONSOLE_PATH = `${CONTROL_PREFIX}console`;
/** The files of the page and their types. */
export const CONSOLE_FILES = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
} as const;
export type ConsoleFile = keyof typeof CONSOLE_FILES;

/** The environment of one call with a secret key's endpoint, in place of the session's. */
export const ENVIRONMENT_HEADER = 'x-kyclone-environment';

export const CODE_TTL_SECONDS = 60;
export const CONSOLE_SESSION_HOURS = 8;
/** The oldest make room. */
export const CODES_LIMIT = 50;
export const CONSOLE_SESSIONS_LIMIT = 100;
export const TABS_LIMIT = 50;

export const EVERY_PERMISSION = [...PERMISSIONS, 'decrypt:*'] as const;
export type ConsolePermission = Permission | 'decrypt:*';

const NONE: readonly ConsolePermission[] = [];
const REVIEW = ['review'] as const;
/** The credential that the call leaves behind acts for a key, which may replace stored values. */
const LINK = ['onboard', 'vault.write'] as const;

/**
 * The permissions that a session needs at the control plane. Other reads need none. Anything else needs them all, since
 * it could get the session a permission that it lacks.
 */
const OF_CONTROL_PLANE: Readonly<Partial<Record<MethodAndPath, readonly ConsolePermission[]>>> = {
  'GET /_kyclone/recording': EVERY_PERMISSION,
  'GET /_kyclone/snapshots/{name}/content': EVERY_PERMISSION,
  'POST /_kyclone/search': NONE,
  'POST /_kyclone/entities/{fp_id}/claim': REVIEW,
  'DELETE /_kyclone/entities/{fp_id}/claim': REVIEW,
  'POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review': REVIEW,
  'POST /_kyclone/entities/{fp_id}/notes': REVIEW,
  'DELETE /_kyclone/entities/{fp_id}/notes/{note_id}': REVIEW,
  'POST /_kyclone/entities/{fp_id}/request_info': REVIEW,
  'POST /_kyclone/onboardings/{id}/resolve': REVIEW,
  'POST /_kyclone/events/{id}/resend': REVIEW,
  'PATCH /_kyclone/entities/{fp_id}': ['review', 'entities.write'],
  'DELETE /_kyclone/tokens/{id}': ['entities.write'],
  'DELETE /_kyclone/sessions/{id}': ['onboard'],
  'POST /_kyclone/sessions/complete': LINK,
  'POST /_kyclone/bank_link_intents': ['bank_links', ...LINK],
};

/** In addition to what the key's own rule asks for. */
const OF_KEYS: Readonly<Partial<Record<MethodAndPath, readonly ConsolePermission[]>>> = {
  'POST /onboarding/session': LINK,
  'POST /users/{fp_id}/token': LINK,
  'POST /users/{fp_id}/kyc': LINK,
  'POST /users/{fp_id}/reonboard': LINK,
  'POST /businesses/{fp_bid}/kyb': LINK,
};

/** Reads that are sent as POST. */
const READS: ReadonlySet<string> = new Set<MethodAndPath>(['POST /_kyclone/search']);
/** What a session never does: it makes no other session. */
const NEVER: ReadonlySet<string> = new Set<MethodAndPath>([
  'POST /_kyclone/console/codes',
  'DELETE /_kyclone/console/sessions',
]);

/** Whether the call changes or reveals something, which a read-only session may not. */
export function changesOrReveals(key: MethodAndPath): boolean {
  return (!key.startsWith('GET ') || OF_CONTROL_PLANE[key] === EVERY_PERMISSION) && !READS.has(key);
}

/** The permissions that a session needs for the call; undefined for a call that no session may make. */
export function consolePermissions(key: MethodAndPath): readonly ConsolePermission[] | undefined {
  if (NEVER.has(key)) return undefined;
  if (!key.includes(` ${CONTROL_PREFIX}`)) return OF_KEYS[key] ?? NONE;
  return OF_CONTROL_PLANE[key] ?? (key.startsWith('GET ') ? NONE : EVERY_PERMISSION);
}
