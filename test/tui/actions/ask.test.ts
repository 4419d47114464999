/** A user is asked for more from the inspector (contract §11). */
import { expect } from 'vitest';
import { ask } from '../../../src/nouns/entities/screen/cases.ts';
import type { Subject } from '../../../src/tui/state/model.ts';
import { noticeOf, problemOf, sourceOf, test } from './a-source.ts';

const VALUES = { note: 'A proof of your address', document: 'proof_of_address', fields: 'id.ssn9, id.dob' };

test('ask: the user is asked for note, document and fields, by the operator', async ({ service }) => {
  const source = await sourceOf(service, { operator: 'Zoë Desk' });
  const fp_id = await service.user({});

  const outcome = await ask.perform(source, { kind: 'user', fp_id }, VALUES);

  expect(noticeOf(outcome)).toBe('good: The user is asked for more');
  const { body } = await service.call('GET /users/{fp_id}', { params: { fp_id } });
  expect(body.requires_additional_info).toMatchObject({ note: VALUES.note });
});

test('ask: the question names what the next link asks for', () => {
  const subject: Subject = { kind: 'user', fp_id: 'fp_id_1' };
  expect(ask.confirm(subject, { ...VALUES, operator: 'Zoë Desk' })).toEqual([
    'fp_id_1 is asked for more: “A proof of your address”, by Zoë Desk.',
    'The next link asks for id.ssn9, id.dob, proof of address, and runs nothing.',
    'This replaces an open request, and may send the event user.info_requested to webhook endpoints.',
  ]);
  expect(ask.confirm(subject, { note: 'x', document: 'none', fields: '', operator: 'Z' })[1]).toBe(
    'The next link asks for nothing but to be identified.',
  );
});

test('ask: is for users, and its note is no blank', () => {
  expect(ask.subject(undefined, { kind: 'business', fp_id: 'fp_bid_1' })).toBeUndefined();
  expect(problemOf('ask', 'note', ' ')).toBe('Write what the user is asked for');
  expect(problemOf('ask', 'note', 'x'.repeat(1001))).toContain('1000');
});
