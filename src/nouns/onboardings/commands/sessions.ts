/**
 * Hosted flows: the request bodies that the `onboardings` commands build from flags and fields (contract §10, §11),
 * and the views of sessions.
 */
import { MINUTE_MS } from '../../../kernel/units.ts';
import { string } from '@oclif/core/args';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import type { JsonValue } from '../../../kernel/json.ts';
import { parseField } from '../../../cli/shell/fields.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
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
  id: string({ description: 'id of the session (ses_…), not its token', required: true }),
};

export const TOKEN_HELP = '- for stdin, @FILE, ? for a prompt';

export function sessionBody(
  flags: {
    readonly playbook?: string | undefined;
    readonly 'fp-id'?: string | undefined;
    readonly 'user-external-id'?: string | undefined;
    readonly 'business-external-id'?: string | undefined;
    readonly 'allow-reonboard': boolean;
    readonly 'external-id'?: string | undefined;
    readonly 'redirect-url'?: string | undefined;
    readonly live: boolean;
  },
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

/** An onboarding uses the first playbook for users, or for businesses, unless one is named. */
export function userTokenBody(flags: {
  readonly kind: UserTokenBody['kind'];
  readonly playbook?: string | undefined;
  /** In milliseconds; the API uses minutes. */
  readonly ttl?: number | undefined;
  readonly minutes?: number | undefined;
  readonly 'allow-reonboard': boolean;
  readonly business?: string | undefined;
  readonly 'limit-auth-method'?: UserTokenBody['limit_auth_methods'];
  readonly live: boolean;
}): UserTokenBody {
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
