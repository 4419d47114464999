/** Compares what a caller says with stored fields. Shows nothing of the stored values (contract §10). */
import { STATED_VALUE_LIMIT, type VerificationResult } from '../../contract/facts/vault.ts';
import type { ActionDefinition, ActionOutcome, Values } from './definition.ts';
import type { Source } from '../data/source.ts';
import type { FieldDefinition, Notice, Subject } from '../state/model.ts';
import { identifiersOf } from '../state/subject.ts';
import { asEntity, entitySubject, fieldSubject, isLongerThan, reasonProblem } from './subjects.ts';

const RESULT_TEXTS: Readonly<Record<VerificationResult, Notice>> = {
  match: { tone: 'good', text: 'matches' },
  no_match: { tone: 'bad', text: 'does NOT match' },
  unreadable: { tone: 'warn', text: "can't be read" },
  nothing_to_compare: { tone: 'warn', text: 'nothing is stored to compare it with' },
};

/** What callers are asked for, if no field was chosen. */
const USUAL = {
  user: [
    'id.first_name',
    'id.last_name',
    'id.dob',
    'id.phone_number',
    'id.ssn4',
    'id.email',
    'id.address_line1',
    'id.zip',
  ],
  business: [
    'business.name',
    'business.tin',
    'business.phone_number',
    'business.address_line1',
    'business.zip',
  ],
} as const;

const HINT =
  'Compared with the stored value, whatever the case of letters or the form of a date, such as 12/30/88 or 30 Dec 1988. ' +
  'Only match or no match is shown';

const REASON: FieldDefinition = {
  name: 'reason',
  label: 'Reason',
  kind: 'text',
  isRequired: true,
  hint: 'The access log keeps the reason and the results, and not what the caller says',
};

export const verify: ActionDefinition = {
  name: 'verify',
  label: 'Verify what a caller says',
  subject(row, screen) {
    const field = fieldSubject(row);
    if (field === undefined) return entitySubject(row, screen);
    return field.type === 'file' ? undefined : field;
  },
  needs: 'Select a user, a business or a field that is not a file first',
  leavesTrace: true,
  fields: (subject, all = [subject]) => [...fieldsAsked(all), REASON],
  check(field, value) {
    if (field === REASON.name) return reasonProblem(value);
    return isLongerThan(value, STATED_VALUE_LIMIT) ? `At most ${STATED_VALUE_LIMIT} characters` : undefined;
  },
  // The form has said everything.
  confirm: () => [],
  perform: (source, subject, values) => verifyAll(source, subject, values),
  atOnce: {
    problem(subjects) {
      if (subjects.some((subject) => subject.kind !== 'field'))
        return 'Verify one user or business at a time, or fields of one: escape unmarks';
      const entities = new Set(subjects.flatMap((subject) => entityIdOf(subject)));
      return entities.size > 1 ? 'Only fields of one user or business can be verified together' : undefined;
    },
    async perform(source, subjects, values) {
      const [first] = subjects;
      if (first === undefined) throw new TypeError('no field to verify');
      return await verifyAll(source, first, values);
    },
  },
};

function entityIdOf(subject: Subject): string[] {
  return 'fp_id' in subject ? [subject.fp_id] : [];
}

/** A single field must be given; the caller may know only some of several. */
function fieldsAsked(subjects: readonly Subject[]): readonly FieldDefinition[] {
  const identifiers = [...new Set(subjects.flatMap(identifiersAsked))];
  const [only, ...others] = identifiers;
  if (only !== undefined && others.length === 0)
    return [asked(only, { label: 'What the caller says', isRequired: true, hint: HINT })];
  return identifiers.map((identifier) =>
    asked(identifier, {
      label: identifier,
      isRequired: false,
      hint: `Empty if the caller doesn't say it. ${HINT}`,
    }),
  );
}

function asked(name: string, more: Pick<FieldDefinition, 'label' | 'isRequired' | 'hint'>): FieldDefinition {
  return { name, kind: 'text', isShownOnce: true, ...more };
}

function identifiersAsked(subject: Subject): readonly string[] {
  return subject.kind === 'field' ? identifiersOf(subject) : USUAL[asEntity(subject).kind];
}

async function verifyAll({ client }: Source, subject: Subject, given: Values): Promise<ActionOutcome> {
  const { reason = '', ...typed } = given;
  const values = Object.entries(typed)
    .filter(([, value]) => value !== '')
    .map(([identifier, value]) => ({ identifier, value }));
  if (values.length === 0)
    return {
      kind: 'done',
      notice: { tone: 'warn', text: 'Nothing was given to verify, so nothing was compared' },
      changes: false,
    };
  const { kind, fp_id } =
    subject.kind === 'field' ? { kind: subject.owner, fp_id: subject.fp_id } : asEntity(subject);
  const body = { values, reason };
  const { results } = await (kind === 'business'
    ? client.call('POST /businesses/{fp_bid}/verify', { params: { fp_bid: fp_id }, body })
    : client.call('POST /users/{fp_id}/verify', { params: { fp_id }, body }));
  const fields = results.map(({ identifier, result, hint }) => {
    const { tone, text } = RESULT_TEXTS[result];
    return { identifier, tone, text: hint === null ? text : `${text}. ${hint}` };
  });
  return { kind: 'verified', fp_id, fields };
}
