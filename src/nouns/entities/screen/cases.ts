/**
 * Work on a case: decides it, claims it, compares it with a duplicate, writes and removes notes, removes tags
 * and owners, and asks the user for more (contract §10, §11, §14).
 */
import { DECISION_LIMITS } from '../../onboardings/facts.ts';
import { shortTime } from '../../../kernel/text/terminal-text.ts';
import {
  type ActionDefinition,
  choiceField,
  idOf,
  labelledId,
  textField,
  wordsOf,
} from '../../../tui/actions/definition.ts';
import { entitySubject, type EntitySubject, longProblem, ON_ENTITY } from '../../../tui/actions/subjects.ts';
import { NOTE_LIMIT, INFO_REQUEST_LIMITS, HIT_DECISIONS } from '../../../contract/facts/cases.ts';
import { givenReason } from '../../../kernel/text/text.ts';
import { personalReason } from '../../../kernel/text/personal-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Subject } from '../../../tui/state/model.ts';
import { given, reasonField, recordLine } from '../../../tui/actions/reasons.ts';
import { DOCUMENT_KINDS, type DocumentKind } from '../../vault/facts.ts';
import { defined } from '../../../kernel/defined.ts';
import { comparisonPlace } from '../../comparisons/screen.ts';
import { done } from '../../../tui/actions/things.ts';
import { entityEndpoint } from '../../../client/entity-endpoint.ts';

// Manual decisions: about an entity (contract §4.4, §10), and about a hit of a watchlist or of adverse media (§11).

/** The choice to begin with, by the status. */
const HITS_AFTER: Readonly<Record<string, string>> = { pass: 'false_positive', fail: 'confirmed' };

export const decide: ActionDefinition<EntitySubject> = {
  label: 'Decide by hand',
  ...ON_ENTITY,
  leavesTrace: true,
  forMany: true,
  fields: () => [
    choiceField('status', 'Status', ['pass', 'fail']),
    reasonField('annotation', 'Annotation', {
      hint: 'The reason. It is stored with the decision',
      problem: (value) =>
        longProblem('An annotation', value, DECISION_LIMITS.annotation) ?? personalReason(value),
    }),
    { name: 'hits', label: 'Hits that nobody decided on', kind: 'loaded', isRequired: false },
  ],
  initial: (field, { status }) => (field === 'hits' ? HITS_AFTER[status ?? ''] : undefined),
  async choices(source, _subject, _field, subjects) {
    const found = await Promise.all(subjects.map(({ fp_id }) => undecided(source, fp_id)));
    const named = found.flatMap((text) => (text === '' ? [] : [text])).join('; ');
    if (named === '') return [];
    return Object.entries(HITS).map(([value, words]) => ({
      value: labelledId(value, named),
      label: `${words}: ${named}`,
    }));
  },
  confirm: ({ fp_id }, { status = '', annotation = '', hits = '', operator = '' }) => [
    `${fp_id} gets the status ${status} by hand. Its onboardings keep their status.`,
    `The annotation is “${annotation}”; the reviewer is ${operator}.`,
    ...hitLines(hits),
    'If a review is open, it ends. Webhook endpoints may get the event user.manual_review.',
  ],
  async perform({ client }, { fp_id }, { status = '', annotation = '', hits = '' }) {
    const body = {
      status: status === 'pass' ? ('pass' as const) : ('fail' as const),
      annotation,
      ...defined({ hits: HIT_DECISIONS.find((each) => each === idOf(hits)) }),
    };
    const { key, params } = entityEndpoint('POST /{entity}/decisions', fp_id);
    await client.call(key, { params, body });
    return done(`Decided: ${body.status}`);
  },
};

const LEFT = 'left';
/** What becomes of hits, as a choice. */
const HITS: Readonly<Record<string, string>> = {
  confirmed: 'confirmed',
  false_positive: 'false positives',
  [LEFT]: 'left undecided',
};

/** The names of the hits of an entity that nobody decided on; empty without any. */
async function undecided({ client, space }: Source, fp_id: string): Promise<string> {
  const hits = await client
    .call('GET /_kyclone/entities/{fp_id}/hits', { params: { fp_id }, query: space })
    .catch(() => []);
  const open = hits.filter(({ review }) => review === null);
  if (open.length === 0) return '';
  const names = open.map(
    ({ reason_code, matched_name, score }) => `${reason_code} (${matched_name}, ${score} %)`,
  );
  return `${names.join(', ')} of ${fp_id}`;
}

function hitLines(hits: string): readonly string[] {
  const chosen = idOf(hits);
  if (chosen === '') return [];
  const named = `Nobody has decided on ${wordsOf(hits)}.`;
  return [named, chosen === LEFT ? 'They remain undecided.' : `They are decided on, too: ${HITS[chosen]}.`];
}

type HitSubject = Extract<Subject, { kind: 'hit' }>;

const HIT_WORDS = { false_positive: 'a false positive', confirmed: 'confirmed' } as const;

export const review: ActionDefinition<HitSubject> = {
  label: 'Decide on the hit',
  subject: (row) => (row?.subject?.kind === 'hit' ? row.subject : undefined),
  needs: 'Select a signal with a hit first',
  leavesTrace: true,
  forMany: true,
  fields: () => [
    choiceField(
      'decision',
      'The hit is',
      HIT_DECISIONS.map((value) => ({ value, label: HIT_WORDS[value] })),
    ),
    reasonField('reason', 'Reason'),
  ],
  confirm: ({ fp_id, owner, reason_code, found }, { decision, reason = '', operator = '' }) => [
    `The hit ${reason_code} of ${fp_id} is ${HIT_WORDS[hitDecisionOf(decision)]}, decided by ${operator}.`,
    `The hit: ${found}.`,
    `The reason is “${reason}”.`,
    `Status and review of the ${owner} do not change.`,
  ],
  async perform({ client, space }, { fp_id, onboarding_id, reason_code }, { decision, reason = '' }) {
    const chosen = hitDecisionOf(decision);
    await client.call('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
      params: { fp_id, reason_code },
      query: space,
      body: { decision: chosen, reason, onboarding_id },
    });
    return done(`${reason_code} is ${HIT_WORDS[chosen]}`);
  },
};

function hitDecisionOf(value: string | undefined): (typeof HIT_DECISIONS)[number] {
  return HIT_DECISIONS.find((known) => known === value) ?? 'false_positive';
}

/** Claims the case, or takes it over, for 15 minutes. */
export const claim: ActionDefinition<EntitySubject> = {
  label: 'Claim the case',
  ...ON_ENTITY,
  leavesTrace: true,
  forMany: true,
  confirm: ({ fp_id }, { operator = '' }) => [
    `${fp_id} is claimed by ${operator} for 15 minutes, in place of any other operator.`,
  ],
  async perform({ client, space }, { fp_id }) {
    const { until } = await client.call('POST /_kyclone/entities/{fp_id}/claim', {
      params: { fp_id },
      query: space,
      body: { take_over: true },
    });
    return done(`The case is yours until ${shortTime(until)} UTC`);
  },
};

function noteProblem(missing: string, limit: number): (value: string) => string | undefined {
  return (value) => (givenReason(value) === undefined ? missing : longProblem('A note', value, limit));
}

type Removable = Extract<Subject, { kind: 'note' | 'tag' | 'stake' }>;

export const note: ActionDefinition<EntitySubject> = {
  label: 'Write a note',
  ...ON_ENTITY,
  leavesTrace: true,
  forMany: true,
  fields: () => [
    textField('text', 'Note', `At most ${NOTE_LIMIT} characters. Everyone who opens the case can read it`, {
      problem: noteProblem('Write a note: blanks are not enough', NOTE_LIMIT),
    }),
  ],
  confirm: ({ fp_id }, { text = '', operator = '' }) => [`${fp_id} gets the note “${text}”, by ${operator}.`],
  async perform({ client, space }, { fp_id }, { text = '' }) {
    const params = { fp_id };
    await client.call('POST /_kyclone/entities/{fp_id}/notes', { params, query: space, body: { text } });
    return done('The note is written');
  },
};

export const remove: ActionDefinition<Removable> = {
  label: 'Remove the tag, note or owner',
  subject: (row) => (row?.subject !== undefined && isRemovable(row.subject) ? row.subject : undefined),
  needs: 'Select a tag, a note or an owner first',
  leavesTrace: true,
  forMany: true,
  fields: () => [reasonField('reason', 'Reason')],
  confirm: (subject, { reason = '', operator = '' }) => [removalText(subject), recordLine(operator, reason)],
  perform: async (source, subject, { reason }) => done(await removed(source, subject, given({ reason }))),
};

function removalText(subject: Removable): string {
  switch (subject.kind) {
    case 'tag':
      return `The tag “${subject.text}” of ${subject.fp_id} is removed.`;
    case 'note':
      return `The note ${subject.id} of ${subject.fp_id} is deleted. Nobody can read it any more.`;
    case 'stake':
      return `${subject.user} is no longer an owner of ${subject.business}. Both stay as they are.`;
  }
}

/** Returns what was done. */
async function removed(
  { client, space }: Source,
  subject: Removable,
  body: { readonly reason?: string },
): Promise<string> {
  if (subject.kind === 'stake') {
    const params = { fp_bid: subject.business, fp_id: subject.user };
    await client.call('DELETE /businesses/{fp_bid}/owners/{fp_id}', { params, body });
    return 'The owner is unlinked';
  }
  const { kind, fp_id, id } = subject;
  if (kind === 'note') {
    const params = { fp_id, note_id: id };
    await client.call('DELETE /_kyclone/entities/{fp_id}/notes/{note_id}', { params, query: space, body });
    return 'The note is deleted';
  }
  const { key, params } = entityEndpoint('DELETE /{entity}/tags/{tag_id}', fp_id);
  await client.call(key, { params: { ...params, tag_id: id }, body });
  return 'The tag is removed';
}

function isRemovable(subject: Subject): subject is Removable {
  return subject.kind === 'note' || subject.kind === 'tag' || subject.kind === 'stake';
}

const NO_DOCUMENT = 'none';

export const ask: ActionDefinition<EntitySubject> = {
  label: 'Ask for more information',
  subject(row, screen) {
    const subject = entitySubject(row, screen);
    return subject?.kind === 'user' ? subject : undefined;
  },
  needs: 'Select a user first',
  leavesTrace: true,
  forMany: true,
  fields: () => [
    textField('note', 'Note', `The user reads it. At most ${INFO_REQUEST_LIMITS.note} characters`, {
      problem: noteProblem('Write what the user is asked for', INFO_REQUEST_LIMITS.note),
    }),
    choiceField(
      'document',
      'Document',
      [NO_DOCUMENT, ...DOCUMENT_KINDS].map((value) => ({ value, label: value.replaceAll('_', ' ') })),
    ),
    textField('fields', 'Fields', 'Identifiers with blanks between them, such as id.ssn9 id.dob', {
      isRequired: false,
    }),
  ],
  confirm({ fp_id }, { note = '', operator = '', ...asked }) {
    const { document, fields } = askedFor(asked);
    const wanted = [...(fields ?? []), ...(document === undefined ? [] : [document.replaceAll('_', ' ')])];
    return [
      `${fp_id} is asked for more: “${note}”, by ${operator}.`,
      wanted.length === 0
        ? 'The next link asks for nothing but to be identified.'
        : `The next link asks for ${wanted.join(', ')}, and runs nothing.`,
      'This replaces an open request, and may send the event user.info_requested to webhook endpoints.',
    ];
  },
  async perform({ client, space }, { fp_id }, { note = '', ...asked }) {
    const params = { fp_id };
    const body = { note, ...askedFor(asked) };
    await client.call('POST /_kyclone/entities/{fp_id}/request_info', { params, query: space, body });
    return done('The user is asked for more');
  },
};

function askedFor({ document = NO_DOCUMENT, fields = '' }: Readonly<Record<string, string>>) {
  const names = fields.split(/[\s,]+/).filter((name) => name !== '');
  return defined({
    document: document === NO_DOCUMENT || document === '' ? undefined : (document as DocumentKind),
    fields: names.length === 0 ? undefined : names,
  });
}

/** Compares two entities side by side, from a list of duplicates. */
export const compare: ActionDefinition<Extract<Subject, { kind: 'pair' }>> = {
  label: 'Compare two users',
  subject: (row) => (row?.subject?.kind === 'pair' ? row.subject : undefined),
  needs: 'Select a duplicate first',
  leavesTrace: true,
  // It shows no values. The access logs of both entities record it.
  confirm: () => [],
  perform: (_source, { fp_id, other }) =>
    Promise.resolve({ type: 'opened', place: comparisonPlace(fp_id, other) }),
};
