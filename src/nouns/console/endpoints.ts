/** The console's way in: one-time codes, sessions and the page's files (contract §11.1). */
import { Type } from '@sinclair/typebox';
import { PermissionName } from '../api-keys/endpoints.ts';
import { controlToken, endpoint, open, type Stability } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { CONSOLE_HEADER } from '../../contract/facts/credentials.ts';
import { OPERATOR_LIMIT } from '../access-log/facts.ts';
import { CONSOLE_FILES } from './facts.ts';
import {
  named,
  Empty,
  EnvironmentName,
  Nullable,
  TenantName,
  Timestamp,
  strict,
} from '../../contract/shapes.ts';
import { OPERATOR_RULE } from '../../contract/operator-name.ts';

const emulator = { stability: 'emulator' satisfies Stability } as const;
const ours = (what: string, why: string) => [{ what, why: `ours: ${why}` }];

const Secret = Type.String({
  pattern: '^[0-9A-Za-z]{43}$',
  examples: ['0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg'],
  [EXPECTS]: '43 letters and digits, as the daemon gave them',
});

const ConsoleSession = named(
  'ConsoleSession',
  Type.Object({
    operator: Nullable(Type.String()),
    is_readonly: Type.Boolean(),
    permissions: Type.Array(PermissionName),
    instance: Type.String(),
    tenant: Type.String(),
    environment: EnvironmentName,
    version: Type.String(),
    expires_at: Timestamp,
    token: Type.String({ description: `for header ${CONSOLE_HEADER} of this tab` }),
  }),
);

/** A file of the page, compressed or not. */
const PageFile = Type.Unsafe<Uint8Array>({ type: 'string' });

const page = { ...emulator, auth: open, response: PageFile } as const;
const ofPage = { ...emulator, auth: open, isOwnPageCall: true } as const;

export const consoleEndpoints = [
  endpoint('GET /_kyclone/console', {
    operationId: 'getConsolePage',
    ...page,
    isLinkedPage: true,
    produces: CONSOLE_FILES['index.html'],
    summary: 'The console: a page that needs a session, and no network',
    assumed: ours('the console', 'people at a support desk work in a browser'),
  }),
  endpoint('GET /_kyclone/console/app.js', {
    operationId: 'getConsoleScript',
    ...page,
    produces: CONSOLE_FILES['app.js'],
    summary: 'The script of the console',
  }),
  endpoint('GET /_kyclone/console/app.css', {
    operationId: 'getConsoleStyle',
    ...page,
    produces: CONSOLE_FILES['app.css'],
    summary: 'The style of the console',
  }),
  endpoint('POST /_kyclone/console/codes', {
    operationId: 'createConsoleCode',
    ...emulator,
    auth: controlToken,
    body: named(
      'CreateConsoleCodeRequest',
      Type.Object(
        {
          operator: Type.Optional(
            Type.String({ minLength: 1, maxLength: OPERATOR_LIMIT, description: OPERATOR_RULE }),
          ),
          is_readonly: Type.Optional(Type.Boolean({ description: 'change nothing and reveal nothing' })),
          permissions: Type.Optional(
            Type.Array(PermissionName, { maxItems: 100, description: 'all by default' }),
          ),
          tenant: Type.Optional(TenantName),
          environment: Type.Optional(EnvironmentName),
        },
        strict,
      ),
    ),
    bodyOptional: true,
    response: named(
      'ConsoleLink',
      Type.Object({
        url: Type.String({ description: 'opens one session; its code is in the fragment' }),
        expires_at: Timestamp,
      }),
    ),
    errors: ['not_found'],
    summary: 'A link that opens one session of the console within a minute',
    assumed: ours(
      'the endpoint',
      'the control token stays where it is; a link may be seen, so it works once',
    ),
  }),
  endpoint('POST /_kyclone/console/sessions', {
    operationId: 'startConsoleSession',
    ...ofPage,
    body: named('StartConsoleSessionRequest', Type.Object({ code: Secret }, strict)),
    response: named(
      'StartedConsoleSession',
      Type.Object({
        ...ConsoleSession.properties,
        resume_key: Type.String({ description: 'continues the session, together with its cookie' }),
      }),
    ),
    errors: ['unauthenticated'],
    summary: 'Exchange the code of a link for a session',
  }),
  endpoint('POST /_kyclone/console/sessions/resume', {
    operationId: 'refreshConsoleSession',
    ...ofPage,
    body: named('ResumeConsoleSessionRequest', Type.Object({ resume_key: Secret }, strict)),
    response: ConsoleSession,
    errors: ['unauthenticated'],
    summary: 'A token for another tab, or after a reload: needs the cookie and the resume key',
    assumed: ours(
      'the cookie alone continues nothing',
      'a browser sends it to every port of the host, so another local server may see it',
    ),
  }),
  endpoint('DELETE /_kyclone/console/session', {
    operationId: 'stopConsoleSession',
    ...ofPage,
    headers: Type.Object({ [CONSOLE_HEADER]: Type.Optional(Type.String()) }),
    response: Empty,
    errors: ['unauthenticated'],
    summary: 'Sign out: end the session of this tab, in all its tabs',
  }),
  endpoint('DELETE /_kyclone/console/sessions', {
    operationId: 'revokeConsoleSessions',
    ...emulator,
    auth: controlToken,
    response: named('RevokedConsoleSessions', Type.Object({ revoked: Type.Integer() })),
    summary: 'End every session of the console, and void every link',
  }),
] as const;
