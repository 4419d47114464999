/** Asks a user for more information (contract §11, §14). */
import { INFO_REQUEST_LIMITS } from '../../contract/facts/cases.ts';
import { DOCUMENT_KINDS, type DocumentKind } from '../../contract/facts/vault.ts';
import { givenReason } from '../../kernel/reason.ts';
import { defined } from '../../kernel/defined.ts';
import type { ActionDefinition } from './definition.ts';
import { asEntity, entitySubject, isLongerThan } from './subjects.ts';

const NO_DOCUMENT = 'none';

export const ask: ActionDefinition = {
  name: 'ask',
  label: 'Ask for more information',
  subject(row, screen) {
    const subject = entitySubject(row, screen);
    return subject && asEntity(subject).kind === 'user' ? subject : undefined;
  },
  needs: 'Select a user first',
  leavesTrace: true,
  forMany: true,
  fields: () => [
    {
      name: 'note',
      label: 'Note',
      kind: 'text',
      isRequired: true,
      hint: `The user reads it. At most ${INFO_REQUEST_LIMITS.note} characters`,
    },
    {
      name: 'document',
      label: 'Document',
      kind: 'choice',
      choices: [NO_DOCUMENT, ...DOCUMENT_KINDS].map((value) => ({
        value,
        label: value.replaceAll('_', ' '),
      })),
      isRequired: true,
    },
    {
      name: 'fields',
      label: 'Fields',
      kind: 'text',
      isRequired: false,
      hint: 'Identifiers with blanks between them, such as id.ssn9 id.dob',
    },
  ],
  check(field, value) {
    if (field === 'note' && givenReason(value) === undefined) return 'Write what the user is asked for';
    if (field === 'note' && isLongerThan(value, INFO_REQUEST_LIMITS.note)) {
      return `A note has at most ${INFO_REQUEST_LIMITS.note} characters`;
    }
    return undefined;
  },
  confirm(subject, { note = '', operator = '', ...asked }) {
    const { document, fields } = given(asked);
    const wanted = [...(fields ?? []), ...(document === undefined ? [] : [document.replaceAll('_', ' ')])];
    return [
      `${asEntity(subject).fp_id} is asked for more: “${note}”, by ${operator}.`,
      wanted.length === 0
        ? 'The next link asks for nothing but to be identified.'
        : `The next link asks for ${wanted.join(', ')}, and runs nothing.`,
      'This replaces an open request, and may send the event user.info_requested to webhook endpoints.',
    ];
  },
  async perform({ client, space }, subject, { note = '', ...asked }) {
    const params = { fp_id: asEntity(subject).fp_id };
    const body = { note, ...given(asked) };
    await client.call('POST /_kyclone/entities/{fp_id}/request_info', { params, query: space, body });
    return { kind: 'done', notice: { tone: 'good', text: 'The user is asked for more' }, changes: true };
  },
};

function given({ document = NO_DOCUMENT, fields = '' }: Readonly<Record<string, string>>) {
  const names = fields.split(/[\s,]+/).filter((name) => name !== '');
  return defined({
    document: document === NO_DOCUMENT || document === '' ? undefined : (document as DocumentKind),
    fields: names.length === 0 ? undefined : names,
  });
}
