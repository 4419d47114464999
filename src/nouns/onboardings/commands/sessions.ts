/**
 * Hosted flows: the request bodies that the `onboardings` commands build from flags and fields (contract §10, §11),
 * and the views of sessions.
 */
import { MINUTE_MS } from '../../../kernel/numbers/units.ts';
import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import { parseField } from '../../../cli/shell/fields.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { entityFlag, fieldFlags, type FlagValues, integerFlag, liveFlag } from '../../../cli/shell/flags.ts';
import { durationFlag } from '../../../cli/shell/times.ts';
import { LOGIN_METHODS, USER_TOKEN_KINDS, USER_TOKEN_MINUTES } from '../facts.ts';
import { defaultPlaybook } from './runs.ts';
import { facts, listView, shortTime, type Painted } from '../../../cli/shell/layout.ts';
import type { Style } from '../../../cli/shell/output.ts';
import { defined } from '../../../kernel/defined.ts';

type SessionBody = RequestOf<'POST /onboarding/session'>['body'];
type CompletionBody = RequestOf<'POST /_kyclone/sessions/complete'>['body'];
type UserTokenBody = RequestOf<'POST /users/{fp_id}/token'>['body'];
export type Session = AnswerOf<'GET /_kyclone/sessions/{id}'>;
type Fields = Readonly<Record<string, JsonValue>>;

export const sessionArg = {
  id: stringArg({ description: 'id of the session (ses_…), not its token', required: true }),
};

export const TOKEN_HELP = '- for stdin, @FILE, ? for a prompt';

export const sessionFlags = {
  playbook: string({
    summary: 'key of the playbook (default: the first one for a user, or for a business where one is named)',
    helpValue: 'KEY',
  }),
  'fp-id': entityFlag('an existing user', { names: 'user', helpValue: 'FP_ID' }),
  'user-external-id': string({ summary: 'your id for the user', helpValue: 'ID' }),
  'business-external-id': string({ summary: 'your id for the business', helpValue: 'ID' }),
  'allow-reonboard': boolean({ summary: 'also when it was onboarded on this playbook before' }),
  'external-id': string({ summary: 'your id for the onboarding', helpValue: 'ID' }),
  open: boolean({
    summary: 'print the link in place of the token, and open it in a browser where there is a desktop',
  }),
  run: boolean({ summary: 'run at once when nothing is missing' }),
  'redirect-url': string({
    summary:
      'where the page of the flow redirects at its end: loopback, or the host of an origin in cors.origins',
    helpValue: 'URL',
  }),
  data: fieldFlags.data,
  ...liveFlag,
};

export function sessionBody(
  flags: Partial<FlagValues<typeof sessionFlags>>,
  bootstrap: Fields | undefined,
): SessionBody {
  const user = flags['user-external-id'];
  const business = flags['business-external-id'];
  return {
    key: flags.playbook ?? defaultPlaybook(business === undefined ? 'kyc' : 'kyb', flags.live),
    ...defined({
      fp_id: flags['fp-id'],
      user_external_id: user,
      business_external_id: business,
      bootstrap_data: bootstrap,
      allow_reonboard: flags['allow-reonboard'] || undefined,
      onboarding_external_id: flags['external-id'],
      redirect_url: flags['redirect-url'],
    }),
  };
}

export const userTokenFlags = {
  kind: option({ summary: 'purpose of the flow', options: USER_TOKEN_KINDS, required: true })(),
  playbook: string({
    summary: 'key of the playbook to onboard on (default: the first one for a user, or for a business)',
    helpValue: 'KEY',
  }),
  business: string({
    summary: 'id of a business of the user, which the flow onboards (fp_bid_…)',
    helpValue: 'FP_BID',
  }),
  'limit-auth-method': option({
    summary: 'offer only this way to be identified; may be repeated',
    options: LOGIN_METHODS,
    multiple: true,
  })(),
  ttl: durationFlag({
    summary: 'lifetime of the token: 30m, 2h, 7d (default: 1h)',
    min: USER_TOKEN_MINUTES.least * MINUTE_MS,
    max: USER_TOKEN_MINUTES.most * MINUTE_MS,
    step: MINUTE_MS,
  }),
  minutes: integerFlag({
    summary: 'the lifetime in minutes; --ttl replaces it',
    hidden: true,
    exclusive: ['ttl'],
    min: USER_TOKEN_MINUTES.least,
    max: USER_TOKEN_MINUTES.most,
    helpValue: 'N',
  }),
  'allow-reonboard': boolean({ summary: 'also when the user was onboarded on this playbook before' }),
  ...liveFlag,
};

/** An onboarding uses the first playbook for users, or for businesses, unless one is named. */
export function userTokenBody(
  flags: Partial<FlagValues<typeof userTokenFlags>> & Pick<UserTokenBody, 'kind'>,
): UserTokenBody {
  const { kind, playbook, ttl, business: fp_bid, 'limit-auth-method': limit_auth_methods } = flags;
  const minutes = ttl === undefined ? flags.minutes : ttl / MINUTE_MS;
  const isOnboarding = kind === 'onboard' || kind === 'reonboard';
  const subject = fp_bid === undefined ? 'kyc' : 'kyb';
  const key = playbook ?? (isOnboarding ? defaultPlaybook(subject, flags.live) : undefined);
  return {
    kind,
    ...defined({ key, fp_bid, limit_auth_methods, ttl_min: minutes }),
    ...(flags['allow-reonboard'] && { allow_reonboard: true }),
  };
}

/** The person's input: `business.*` belongs to the business, the rest to the user. */
export function completionBody(
  token: string,
  fields: Fields = {},
  choices: Pick<CompletionBody, 'fixture_result' | 'auth_kind'>,
): CompletionBody {
  const [business, own] = [true, false].map((isBusiness) =>
    Object.entries(fields).filter(([identifier]) => identifier.startsWith('business.') === isBusiness),
  ) as [[string, JsonValue][], [string, JsonValue][]];
  return {
    token,
    ...defined({
      data: own.length > 0 ? Object.fromEntries(own) : undefined,
      business_data: business.length > 0 ? Object.fromEntries(business) : undefined,
    }),
    ...choices,
  };
}

/** Stdin can be read only once: for the token, a field or `--data`. Throws UsageError. */
export function requireOneStdin(token: string, fields: readonly string[] = [], data?: string): void {
  const isRead = fields.some((field, index) => parseField(field, index + 1).from === 'stdin') || data === '-';
  if (token === '-' && isRead) throw new UsageError('Only one value can come from stdin');
}

/** Newest first. `onboardings sessions get` also shows the playbook and both times. */
export const sessionListView = listView<AnswerOf<'GET /_kyclone/sessions'>>('No sessions', [
  ['SESSION', 'id'],
  ['STATE', 'state'],
  ['EXPIRES (UTC)', ({ expires_at }) => shortTime(expires_at)],
  ['ENTITY', ({ fp_bid, fp_id }) => fp_bid ?? fp_id],
]);

export function sessionView(session: Session, style: Style): string {
  return facts(
    {
      session: session.id,
      state: stateText(session, style),
      step: session.step,
      playbook: session.playbook_key,
      user: session.fp_id,
      business: session.fp_bid,
      created: session.created_at,
      expires: session.expires_at,
    },
    style,
  );
}

function stateText({ state }: Session, style: Style): Painted {
  const plain = (text: string) => text;
  return {
    text: state,
    paint: { open: style.warn, completed: style.good, canceled: plain, expired: plain }[state],
  };
}
