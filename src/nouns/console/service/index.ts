/** The console's way in: codes, sessions and the page (contract §11.1). */
import { promisify } from 'node:util';
import { CONSOLE_FILES, CONSOLE_PATH, EVERY_PERMISSION, type ConsoleFile } from '../facts.ts';
import { CONSOLE_HEADER } from '../../../contract/facts/credentials.ts';
import type { Answer } from '../../../contract/handler.ts';
import { isOperatorName, OPERATOR_RULE } from '../../../contract/operator-name.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { defined } from '../../../kernel/defined.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { requireKnownPermissions, spaceOf } from '../../api-keys/service/index.ts';
import type { BuiltFile, Instance } from '../../control/service/index.ts';
import { answer, type Handlers, type KeysUnder } from '../../handlers.ts';
import type { Needs } from '../../needs.ts';
import type { ConsoleGrant, ConsoleSession, ConsoleSessions, OpenedSession } from './sessions.ts';

export { actingFor, findsValues, requireOfSession, revealsSecrets } from './sessions.ts';
export { createConsoleSessions, type ConsoleSession, type ConsoleSessions } from './sessions.ts';

export function consoleHandlers(
  context: Needs<'database'> & {
    readonly consoleSessions: ConsoleSessions;
    readonly builtFile: BuiltFile;
    readonly instance: Instance;
  },
): Handlers<KeysUnder<'/_kyclone/console'>> {
  const { consoleSessions: sessions, instance, database } = context;
  const file = createConsoleFiles(context.builtFile);
  // Another start has another name, so that the cookie of one instance replaces none of another.
  const cookieName = `kyclone_console_${instance.nonce}`;

  function opened({ session, token }: OpenedSession): AnswerOf<'POST /_kyclone/console/sessions/resume'> {
    const { operator, isReadonly, permissions, tenant, environment, endsAt } = session;
    return {
      operator,
      is_readonly: isReadonly,
      permissions: [...permissions],
      instance: instance.name,
      tenant,
      environment,
      version: instance.version,
      expires_at: timestamp(endsAt),
      token,
    };
  }

  return {
    'GET /_kyclone/console': ({ rawHeaders }) => file('index.html', rawHeaders),
    'GET /_kyclone/console/app.js': ({ rawHeaders }) => file('app.js', rawHeaders),
    'GET /_kyclone/console/app.css': ({ rawHeaders }) => file('app.css', rawHeaders),

    'POST /_kyclone/console/codes': ({ body, rawHeaders }) => {
      const { code, expiresAt } = sessions.newCode(grantOf(database, body));
      const url = `http://${headerOf(rawHeaders, 'host')}${CONSOLE_PATH}#code=${code}`;
      return answer({ url, expires_at: timestamp(expiresAt) });
    },

    'POST /_kyclone/console/sessions': ({ body: { code } }) => {
      const { cookie, resumeKey, ...session } = sessions.open(code);
      return answer({ ...opened(session), resume_key: resumeKey }, { 'set-cookie': setCookie(cookie) });
    },

    'POST /_kyclone/console/sessions/resume': ({ body, rawHeaders }) =>
      answer(opened(sessions.resume(body.resume_key, cookiesOf(rawHeaders)))),

    'DELETE /_kyclone/console/session': ({ headers }) => {
      sessions.end(sessionOf(headers[CONSOLE_HEADER]));
      return answer({}, { 'set-cookie': `${setCookie('')}; Max-Age=0` });
    },

    'DELETE /_kyclone/console/sessions': () => answer({ revoked: sessions.endAll() }),
  };

  function sessionOf(token: string | undefined): ConsoleSession {
    const session = token === undefined ? undefined : sessions.find(token);
    if (session) return session;
    throw new ServiceError('unauthenticated', `Header ${CONSOLE_HEADER} names no session of the console`);
  }

  /** A cookie for the page's own calls, which no script can read. */
  function setCookie(value: string): string {
    return `${cookieName}=${value}; Path=${CONSOLE_PATH}; HttpOnly; SameSite=Strict`;
  }

  /** Another server of this host may have set more of this name. */
  function cookiesOf(rawHeaders: readonly string[]): string[] {
    return headerOf(rawHeaders, 'cookie')
      .split(/[;,]/)
      .map((pair) => pair.trim().split('='))
      .flatMap(([name, value]) => (name === cookieName && value !== undefined ? [value] : []));
  }
}

/** Throws `invalid_request`, and `not_found` for a tenant that doesn't exist. */
function grantOf(database: Database, body: RequestOf<'POST /_kyclone/console/codes'>['body']): ConsoleGrant {
  const { operator = null, is_readonly, permissions, tenant, environment } = body ?? {};
  if (operator !== null && !isOperatorName(operator)) {
    throw invalid(`operator must be a name: ${OPERATOR_RULE}`);
  }
  requireKnownPermissions(permissions);
  const space = spaceOf(database, defined({ tenant, environment }));
  return {
    operator,
    isReadonly: is_readonly ?? false,
    permissions: [...new Set(permissions ?? EVERY_PERMISSION)],
    tenant: space.tenant,
    environment: space.environment,
  };
}

// The files of the console's page, compressed once and kept for the life of the process (contract §11.1).

/** Nothing but the page's own files and calls to this instance; pictures are made by the script. */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONSOLE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), payment=()',
  'x-frame-options': 'DENY',
  vary: 'accept-encoding',
} as const;

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number] | 'identity';

/** Returns a file of the page in an encoding that the browser accepts. */
function createConsoleFiles(
  builtFile: BuiltFile,
): (name: ConsoleFile, rawHeaders: readonly string[]) => Promise<Answer<Uint8Array>> {
  const kept = new Map<string, Promise<Uint8Array>>();

  function keep(name: ConsoleFile, encoding: Encoding): Promise<Uint8Array> {
    const place = `${name} ${encoding}`;
    const known = kept.get(place);
    if (known) return known;
    const made = builtFile(`console/${name}`).then((text) => compressed(Buffer.from(text), encoding));
    kept.set(place, made);
    // A file that can't be read now may be there later.
    made.catch(() => kept.delete(place));
    return made;
  }

  return async (name, rawHeaders) => {
    const accepted = headerOf(rawHeaders, 'accept-encoding');
    const encoding = ENCODINGS.find((each) => accepts(accepted, each)) ?? 'identity';
    const body = await keep(name, encoding);
    return {
      headers: {
        ...HEADERS,
        'content-type': CONSOLE_FILES[name],
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      },
      body,
    };
  };
}

async function compressed(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  if (encoding === 'identity') return bytes;
  // Not imported above, since every start would pay for it.
  const zlib = await import('node:zlib');
  return await promisify(encoding === 'br' ? zlib.brotliCompress : zlib.gzip)(bytes);
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((each) => {
    const [name = '', weight] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !/^q=0(?:\.0*)?$/.test(weight ?? '');
  });
}

/** All values of a header by its lower-case name. */
function headerOf(rawHeaders: readonly string[], name: string): string {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name).join(', ');
}
