import type { AnswerOf } from '../../../contract/registry.ts';
import { ID_PREFIX, isBusinessId } from '../../../kernel/ids/ids.ts';
import { facts, fitted, listView, shortTime, yesNo, type Painted } from '../../../cli/shell/layout.ts';
import { unexpected, type ExpectedOutcome, type Onboarding, type RunResult } from './runs.ts';
import { printable, type Style } from '../../../cli/shell/output.ts';

type HostedLink = AnswerOf<'POST /onboarding/session'>;
type RanOrBegun = AnswerOf<'POST /onboarding/session/run'>;
type Validated = AnswerOf<'POST /onboarding/session/validate'>;

/** The status of an entity, an onboarding or a decision, in its colour. */
export function statusText(status: string, style: Style): Painted {
  const plain = (text: string) => text;
  const paint =
    { pass: style.good, fail: style.bad, error: style.bad, pending: style.warn, incomplete: style.warn }[
      status
    ] ?? plain;
  return { text: status, paint };
}

export function runView(run: RunResult, style: Style): string {
  const { in_progress_link: link } = run;
  return facts(
    {
      ...runFacts(run, style),
      ...(link && { token: link.token, link: link.link, 'link expires': link.expires_at }),
    },
    style,
  );
}

function runFacts(run: RunResult, style: Style) {
  return {
    status: statusText(run.status, style),
    review: run.requires_manual_review ? 'needed' : 'no',
    onboarding: run.onboarding_id,
    playbook: run.playbook_key,
    [isBusinessId(run.fp_id) ? 'business' : 'user']: run.fp_id,
  };
}

/** The next command, as a line. The key of the playbook shows the environment. */
function nextStep(run: RunResult): string {
  const { fp_id: id, onboarding_id: onboarding } = run;
  const live = run.playbook_key.startsWith(ID_PREFIX.livePlaybook) ? ' --live' : '';
  if (run.requires_manual_review)
    return `To be reviewed: kyclone decisions create ${id} pass --annotation TEXT${live}`;
  switch (run.status) {
    case 'pending':
      return `Pending: kyclone onboardings get ${onboarding} --wait${live}; onboardings resolve ends it now`;
    case 'incomplete':
      return `Waits for a document: kyclone vault upload ${id} document.passport.front.image FILE${live}`;
    case 'error':
      return `It failed with an error: kyclone ${isBusinessId(id) ? 'businesses kyb' : 'users kyc'} ${id}${live} runs it again`;
    case 'pass':
    case 'fail':
      return `Why: kyclone risk-signals list ${id} --onboarding ${onboarding}${live}`;
    case 'none':
      return `Decided: kyclone decisions list ${id}${live}`;
  }
}

interface Expecting {
  readonly flags: { readonly expect?: ExpectedOutcome | undefined };
}

/** How a run ends: with exit code 1 if it is not as expected, and with the next step if it is. */
export const asExpected = {
  fails: (run: RunResult, { flags }: Expecting): boolean => unexpected(run, flags.expect) !== undefined,
  next: (run: RunResult, { flags }: Expecting): string | undefined =>
    unexpected(run, flags.expect) ?? nextStep(run),
};

export function onboardingView(onboarding: Onboarding, style: Style): string {
  return facts(
    {
      ...runFacts(onboarding, style),
      version: onboarding.playbook_version,
      'external id': onboarding.external_id,
      'onboarding external id': onboarding.onboarding_external_id,
      'is live': yesNo(onboarding.is_live),
      created: onboarding.created_at,
      changed: onboarding.timestamp,
      completed: onboarding.completed_at,
    },
    style,
  );
}

/** The space left on a line; `onboardings get` shows the whole key. */
const KEY_WIDTH = 18;

export const onboardingListView = listView<AnswerOf<'GET /users/{fp_id}/onboardings'>>('No onboardings', [
  ['ONBOARDING', 'id'],
  ['STATUS', ({ status, requires_manual_review: review }) => (review ? `${status}, review` : status)],
  ['AT (UTC)', ({ timestamp }) => shortTime(timestamp)],
  ['PLAYBOOK', ({ playbook_key: key }, style) => fitted(key, KEY_WIDTH, style)],
]);

/** The token alone, for `TOKEN=$(…)`. */
export function sessionTokenView({ token }: HostedLink): string {
  return printable(token);
}

export function sessionNote({ link, expires_at }: HostedLink): string {
  return `Expires ${expires_at}; link ${link}; kyclone onboardings complete TOKEN plays the person`;
}

/** The result of the run, or the token of the session that continues it. */
export function ranView({ user, business, continue_onboarding: begun }: RanOrBegun, style: Style): string {
  return begun ? sessionTokenView(begun) : runsView([user, business], style);
}

function runsView(runs: readonly (RunResult | undefined)[], style: Style): string {
  return runs.flatMap((run) => (run ? [runView(run, style)] : [])).join('\n\n');
}

/** The notes beside it: one line for the user, one for the business. */
export function completionNotes({
  user,
  business,
}: Pick<AnswerOf<'POST /_kyclone/sessions/complete'>, 'user' | 'business'>): string[] {
  return [user, business]
    .filter((run) => run !== undefined)
    .map(
      ({ fp_id, status, requires_manual_review: review, onboarding_id }) =>
        `${isBusinessId(fp_id) ? 'Business' : 'User'} ${fp_id}: ${status}${review ? ', review needed' : ''} (${onboarding_id})`,
    );
}

export function validationView({ user_auth: auth, user, business }: Validated, style: Style): string {
  const head = {
    'signed in': auth.fp_id,
    by: auth.auth_events.map(({ kind, timestamp }) => `${kind}, ${timestamp}`),
  };
  return [facts(head, style), ...(user || business ? [runsView([user, business], style)] : [])].join('\n\n');
}
