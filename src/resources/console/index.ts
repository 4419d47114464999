/** The console's way in: codes, sessions and the page (contract §11.1). */
import { CONSOLE_PATH, EVERY_PERMISSION } from '../../contract/facts/console.ts';
import { CONSOLE_HEADER } from '../../contract/facts/credentials.ts';
import { isOperatorName, OPERATOR_RULE } from '../../contract/operator-name.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Instance } from '../control/index.ts';
import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import { createConsoleFiles, headerOf, type ReadConsoleFile } from './files.ts';
import type { ConsoleGrant, ConsoleSession, ConsoleSessions, OpenedSession } from './sessions.ts';

export { actingFor, findsValues, requireOfSession, revealsSecrets } from './acting.ts';
export { createConsoleSessions, type ConsoleSession, type ConsoleSessions } from './sessions.ts';
export type { ReadConsoleFile } from './files.ts';

export function consoleHandlers(context: {
  readonly consoleSessions: ConsoleSessions;
  readonly consoleFile: ReadConsoleFile;
  readonly instance: Instance;
}): Handlers<KeysUnder<'/_kyclone/console'>> {
  const { consoleSessions: sessions, instance } = context;
  const file = createConsoleFiles(context.consoleFile);
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
      const { code, expiresAt } = sessions.newCode(grantOf(body));
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

/** Throws `invalid_request`. */
function grantOf(body: RequestOf<'POST /_kyclone/console/codes'>['body']): ConsoleGrant {
  const { operator = null, is_readonly, permissions, tenant, environment } = body ?? {};
  if (operator !== null && !isOperatorName(operator)) {
    throw new ServiceError('invalid_request', `Member operator must be a name: ${OPERATOR_RULE}`);
  }
  return {
    operator,
    isReadonly: is_readonly ?? false,
    permissions: [...new Set(permissions ?? EVERY_PERMISSION)],
    tenant: tenant ?? 'default',
    environment: environment ?? 'sandbox',
  };
}
