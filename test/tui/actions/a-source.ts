/** The real service on a port, and what an action uses in the inspector: a source, rows, and the form that it fills. */
import { defined } from '../../../src/kernel/defined.ts';
import { actions } from '../../../src/tui/actions/registry.ts';
import type { ActionOutcome, Values } from '../../../src/tui/actions/definition.ts';
import type { Source } from '../../../src/tui/data/source.ts';
import type { ActionName, Choice, Row, Subject } from '../../../src/tui/state/model.ts';
import { aReadyUser } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { startService, type TestService } from '../../support/service.ts';
import { testWith } from '../../support/test-with.ts';
import { aSource } from '../screens/a-source.ts';

export async function sourceOf(
  service: TestService,
  { environment = 'sandbox', operator }: { environment?: 'sandbox' | 'live'; operator?: string } = {},
): Promise<Source> {
  return aSource((await service.listen()).port, environment, defined({ operator }));
}

/** A `test` with a service of its own, and the source of its sandbox. */
export const test = testWith(async () => {
  const service = await startService();
  const source = await sourceOf(service);
  return { service, source, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
});

/** Creates a user whose run awaits a review. */
export async function aCase(service: TestService): Promise<string> {
  const fp_id = await service.user(aReadyUser());
  await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  return fp_id;
}

export function rowOf(subject: Subject | undefined): Row {
  return { key: 'a row', cells: [], ...(subject && { subject }) };
}

export function fieldOf(
  fp_id: string,
  identifier: string,
  type: 'text' | 'json' | 'file' = 'text',
): Extract<Subject, { kind: 'field' }> {
  const owner = fp_id.startsWith('fp_bid_') ? 'business' : 'user';
  return { kind: 'field', fp_id, owner, identifier, type };
}

export const USER: Subject = { kind: 'user', fp_id: 'fp_id_1' };
export const BUSINESS: Subject = { kind: 'business', fp_id: 'fp_bid_1' };
export const FIELD: Subject = fieldOf('fp_bid_1', 'business.name');
export const EVENT: Subject = { kind: 'event', event_id: 'evt_1' };

/**
 * Fills the form of an action. A loaded field gets the first choice whose first word is the wanted text, or the first
 * of all when no text is wanted. Any other field gets the wanted text or its initial value.
 */
export async function chosen(
  name: ActionName,
  source: Source,
  subject: Subject,
  wanted: Values = {},
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const field of actions[name].fields?.(subject) ?? []) {
    const choices = field.kind === 'loaded' ? await choicesOf(name, source, subject, field.name) : [];
    const want = wanted[field.name];
    const choice = choices.find(({ value }) => want === undefined || value.split(' ')[0] === want);
    values[field.name] = choice?.value ?? want ?? field.initial ?? '';
  }
  return values;
}

export async function choicesOf(
  name: ActionName,
  source: Source,
  subject: Subject,
  field: string,
): Promise<readonly Choice[]> {
  return (await actions[name].choices?.(source, subject, field, [subject])) ?? [];
}

/** The problem with a value of a field. */
export function problemOf(name: ActionName, field: string, value: string): string | undefined {
  const fields = actions[name].fields?.(FIELD) ?? [];
  return fields.find((each) => each.name === field)?.problem?.(value);
}

/** Returns the notice of an action that must succeed, as `tone: text`. */
export function noticeOf(outcome: ActionOutcome): string {
  if (outcome.type !== 'done') throw new Error(`it ended in ${outcome.type}`);
  return `${outcome.notice.tone}: ${outcome.notice.text}`;
}
