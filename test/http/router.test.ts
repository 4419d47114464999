/** Words of the vocabulary in paths (contract §0.13). Only the configured words are routes. */
import { expect, test } from 'vitest';
import { findRoute } from '../../src/http/router.ts';
import { asRefusal, startService } from '../support/service.ts';
import { words } from '../support/words.ts';

const WORDS = { partner_a: 'acme', partner_b: 'übank 2' };
const REPORT = 'POST /users/{fp_id}/integrations/{partner_a}/cip_report';
const FORWARD = 'POST /users/{fp_id}/integrations/{partner_b}/cip';
const keyOf = (path: string, words = WORDS) =>
  findRoute('POST', `/users/fp_id_1/integrations/${path}`, words).route?.endpoint.key;

test.each([
  ['acme/cip_report', REPORT],
  ['acme/cip_report/', REPORT],
  ['%61cme/cip_report?a=b', REPORT],
  ['%C3%BCbank%202/cip', FORWARD],
])('findRoute: %s', (path, key) => {
  expect(keyOf(path)).toBe(key);
});

test.each(
  words`
    partner_a/cip_report {partner_a}/cip_report Acme/cip_report acme%20/cip_report acm/cip_report
    acmee/cip_report %2561cme/cip_report /cip_report acme/cip %C3%BCbank%202/cip_report u%CC%88bank%202/cip
    acme
  `,
)('findRoute: %s leads nowhere', (path) => {
  const match = findRoute('POST', `/users/fp_id_1/integrations/${path}`, WORDS);
  expect([match.route, match.allowed()]).toEqual([undefined, []]);
});

test('findRoute: the words are looked up with each call', () => {
  expect(keyOf('first/cip_report', { ...WORDS, partner_a: 'first' })).toBe(REPORT);
  expect(keyOf('first/cip_report', { ...WORDS, partner_a: 'second' })).toBeUndefined();
});

test('findRoute: only the method of the endpoint is allowed', () => {
  const match = findRoute('GET', '/users/fp_id_1/integrations/acme/cip_report', WORDS);
  expect([match.route, match.allowed()]).toEqual([undefined, ['POST']]);
});

test('vocabulary.partner_a: a change applies at once', async () => {
  await using service = await startService();
  const user = await service.user();
  const statusOf = async (word: string, end: string) => {
    const path = `/users/${user}/integrations/${encodeURIComponent(word)}/${end}`;
    const reply = await service.send({ method: 'POST', path, body: { default_approver: 'Compliance' } });
    return [reply.status, asRefusal(reply, path).code];
  };
  const NOWHERE = [404, 'not_found'];
  const FOUND = [400, 'decision_required'];

  expect(await statusOf('partner_a', 'cip_report')).toEqual(FOUND);
  expect(await statusOf('acme', 'cip_report')).toEqual(NOWHERE);
  await service.call('PATCH /_kyclone/settings', { body: { vocabulary: { partner_a: 'acme' } } });
  expect(await statusOf('acme', 'cip_report')).toEqual(FOUND);
  expect(await statusOf('partner_a', 'cip_report')).toEqual(NOWHERE);
  expect(await statusOf('partner_b', 'cip_report')).toEqual(NOWHERE);
});
