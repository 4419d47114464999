/**
 * The console's codes and sessions (contract §11.1). They are in memory only, so they end with the daemon; a load or a
 * reset leaves them. Secrets are kept as SHA-256 only. A session ends after eight hours of the machine's own
 * time, whatever the instance's clock shows.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Endpoint } from '../../../contract/endpoint.ts';
import {
  CODE_TTL_SECONDS,
  CODES_LIMIT,
  CONSOLE_SESSION_HOURS,
  CONSOLE_SESSIONS_LIMIT,
  TABS_LIMIT,
  changesOrReveals,
  consolePermissions,
  EVERY_PERMISSION,
} from '../facts.ts';
import type { Environment } from '../../entities/facts.ts';
import type { EndpointKey } from '../../../contract/registry.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Randomness } from '../../../kernel/ids/random.ts';
import { realTime } from '../../../kernel/time/real-time.ts';
import { HOUR_MS, SECOND_MS } from '../../../kernel/numbers/units.ts';
import { bothOf, rightsOf, type Caller } from '../../api-keys/service/index.ts';

/** What a session may do, and as whom. */
export interface ConsoleGrant {
  readonly operator: string | null;
  readonly isReadonly: boolean;
  readonly permissions: readonly string[];
  readonly tenant: string;
  readonly environment: Environment;
}

export interface ConsoleSession extends ConsoleGrant {
  /** Epoch milliseconds of the machine's clock. */
  readonly endsAt: number;
  /** Aborts at the end of the session, so that its streams end, too. */
  readonly ended: AbortSignal;
}

/** Secrets that the daemon gives out once. */
export interface OpenedSession {
  readonly session: ConsoleSession;
  readonly token: string;
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;

interface Held extends ConsoleSession {
  readonly cookie: Buffer;
  readonly resumeKey: string;
  /** Digests, the oldest first. */
  readonly tokens: Set<string>;
  readonly controller: AbortController;
  readonly timer: NodeJS.Timeout;
}

const SECRET_CHARACTERS = 43;

export function createConsoleSessions({
  clock,
  random,
}: {
  readonly clock: Pick<Clock, 'realNow'>;
  readonly random: Pick<Randomness, 'secretText'>;
}) {
  const codes = new Map<string, { readonly grant: ConsoleGrant; readonly expiresAt: number }>();
  const byResumeKey = new Map<string, Held>();
  const byToken = new Map<string, Held>();
  const newSecret = () => random.secretText(SECRET_CHARACTERS);

  function newToken(held: Held): string {
    const token = newSecret();
    const digest = digestOf(token);
    const [oldest] = held.tokens;
    if (held.tokens.size >= TABS_LIMIT && oldest !== undefined) {
      held.tokens.delete(oldest);
      byToken.delete(oldest);
    }
    held.tokens.add(digest);
    byToken.set(digest, held);
    return token;
  }

  function finish(held: Held): void {
    realTime.clearTimeout(held.timer);
    byResumeKey.delete(held.resumeKey);
    for (const token of held.tokens) byToken.delete(token);
    held.controller.abort();
  }

  /** The session, unless its time is over. */
  function current(held: Held | undefined): Held | undefined {
    if (held === undefined || clock.realNow() < held.endsAt) return held;
    finish(held);
    return undefined;
  }

  return {
    /** A code for one session. `expiresAt`: epoch milliseconds of the machine's clock. */
    newCode(grant: ConsoleGrant): { readonly code: string; readonly expiresAt: number } {
      const code = newSecret();
      const expiresAt = clock.realNow() + CODE_TTL_SECONDS * SECOND_MS;
      codes.set(digestOf(code), { grant, expiresAt });
      const [oldest] = codes.keys();
      if (codes.size > CODES_LIMIT && oldest !== undefined) codes.delete(oldest);
      return { code, expiresAt };
    },

    /** Throws `unauthenticated` for a code that is unknown, used or too old. */
    open(code: string): OpenedSession & { readonly cookie: string; readonly resumeKey: string } {
      const digest = digestOf(code);
      const found = codes.get(digest);
      codes.delete(digest);
      if (found === undefined || clock.realNow() >= found.expiresAt) {
        throw new ServiceError(
          'unauthenticated',
          'This link was used already or is over a minute old: kyclone console opens a new one',
        );
      }
      const [cookie, resumeKey] = [newSecret(), newSecret()];
      const controller = new AbortController();
      const ms = CONSOLE_SESSION_HOURS * HOUR_MS;
      const held: Held = {
        ...found.grant,
        endsAt: clock.realNow() + ms,
        ended: controller.signal,
        cookie: hash('sha256', cookie, 'buffer'),
        resumeKey: digestOf(resumeKey),
        tokens: new Set(),
        controller,
        timer: realTime.setTimeout(() => finish(held), ms).unref(),
      };
      byResumeKey.set(held.resumeKey, held);
      const [oldest] = byResumeKey.values();
      if (byResumeKey.size > CONSOLE_SESSIONS_LIMIT && oldest !== undefined) finish(oldest);
      return { session: held, token: newToken(held), cookie, resumeKey };
    },

    /** A token for another tab. Throws `unauthenticated` unless key and one of the cookies belong to one session. */
    resume(resumeKey: string, cookies: readonly string[]): OpenedSession {
      const held = current(byResumeKey.get(digestOf(resumeKey)));
      const isHeld =
        held !== undefined &&
        cookies.some((cookie) => timingSafeEqual(hash('sha256', cookie, 'buffer'), held.cookie));
      if (!isHeld) {
        throw new ServiceError(
          'unauthenticated',
          'This session of the console has ended: kyclone console opens a new one',
        );
      }
      return { session: held, token: newToken(held) };
    },

    /** Undefined when the token is unknown or its session has ended. */
    find: (token: string): ConsoleSession | undefined => current(byToken.get(digestOf(token))),

    end(session: ConsoleSession): void {
      for (const held of byResumeKey.values()) if (held === session) finish(held);
    },

    /** Ends every session and voids every code; returns the number of sessions. */
    endAll(): number {
      codes.clear();
      const all = [...byResumeKey.values()].filter((held) => current(held) !== undefined);
      for (const held of all) finish(held);
      return all.length;
    },
  };
}

/** The digest of a secret of 256 bits is found by its whole, so the time of a look-up reveals nothing of the secret. */
function digestOf(secret: string): string {
  return hash('sha256', secret);
}

// What a console session may do (contract §11.1): its own permissions, and at the tenant's API those of a key, too.

/**
 * The caller that a session is at an endpoint of a secret key: the oldest enabled key of the tenant and environment
 * that may do all that the session may, else the oldest, limited to the session's permissions. Throws
 * `permission_denied` when there is no key.
 */
export function actingFor(
  session: ConsoleSession,
  environment: Environment,
  keysOf: (space: { tenant: string; environment: Environment }) => readonly Caller[],
): Caller {
  const { tenant } = session;
  const keys = keysOf({ tenant, environment });
  const key = keys.find((each) => session.permissions.every(covers(each))) ?? keys[0];
  if (!key) {
    throw new ServiceError(
      'permission_denied',
      `Tenant ${tenant} has no enabled ${environment} key, for which this session could act`,
    );
  }
  const isOpen = () => !session.isReadonly && !session.ended.aborted;
  const { permissions, mayWrite, mayDecrypt } = bothOf(rightsOf(session.permissions), key);
  return {
    ...key,
    sessionPermissions: session.permissions,
    permissions,
    mayWrite: (identifier) => isOpen() && mayWrite(identifier),
    mayDecrypt: (identifier) => isOpen() && mayDecrypt(identifier),
  };
}

function covers({ permissions }: Caller): (permission: string) => boolean {
  return (permission) =>
    permissions.has(permission) || (permission.startsWith('decrypt:') && permissions.has('decrypt:*'));
}

/** Throws `permission_denied`. */
export function requireOfSession(
  { isReadonly, permissions }: ConsoleSession,
  { key }: Endpoint & { readonly key: EndpointKey },
): void {
  if (isReadonly && changesOrReveals(key)) {
    throw new ServiceError(
      'permission_denied',
      'This console session is read-only: it changes and reveals nothing',
    );
  }
  const needed = consolePermissions(key);
  if (needed === undefined) {
    throw new ServiceError('permission_denied', 'A console session may not open or end others');
  }
  const missing = needed.find((each) => !permissions.includes(each));
  if (missing === undefined) return;
  throw new ServiceError('permission_denied', `This console session lacks the permission ${missing}`);
}

/** Whether a search of the session may find people by values of their vaults. */
export function findsValues({ permissions }: ConsoleSession): boolean {
  return permissions.includes('decrypt:*');
}

/** Whether a read may reveal a secret of the instance to the session. */
export function revealsSecrets({ isReadonly, permissions }: ConsoleSession): boolean {
  return !isReadonly && EVERY_PERMISSION.every((each) => permissions.includes(each));
}
