import { PASSPORT_IMAGE } from './images.ts';
import { fact, status, withoutText, type Facts, type Step, type Variable } from './tour.ts';

const CITY = 'Cambridge';

/** The token that the first of these steps makes. */
export function formToken(facts: Facts): Variable {
  return { variable: 'TOKEN', value: fact(facts, 'form token') };
}

export const clientTokenSteps: readonly Step[] = [
  {
    title: 'A form in a browser gets no key, but a token for what it is to ask',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/client_token`,
      body: {
        scope: 'vault_and_decrypt',
        fields: ['id.city', PASSPORT_IMAGE],
        ttl: 600,
        decrypt_reason: 'demo: shown in the form',
      },
    }),
    remember: ({ body }, facts) => facts.set('form token', String(body['token'])),
    claims: [
      status(200),
      {
        says: 'the answer holds the token, $TOKEN from here on',
        holds: ({ body }) => /^cttok_\w{34}$/.test(String(body['token'])),
      },
    ],
  },
  {
    title: 'With it, what it names can be written',
    request: (facts) => ({
      method: 'PATCH',
      path: '/users/vault',
      body: { 'id.city': CITY },
      token: formToken(facts),
    }),
    claims: [
      status(200),
      {
        says: 'the vault is at version 3',
        holds: ({ headers }) => headers['x-fp-vault-version'] === '3',
      },
    ],
  },
  {
    title: 'And nothing else',
    request: (facts) => ({
      method: 'PATCH',
      path: '/users/vault',
      body: { 'id.city': 'Springfield', 'id.ssn9': '900129999' },
      token: formToken(facts),
    }),
    claims: [
      status(403, 'permission_denied'),
      {
        says: 'the context names the one that was denied',
        holds: ({ body }) => Object.keys(body['context'] ?? {}).join() === 'id.ssn9',
      },
      withoutText('no value is repeated', ['Springfield', '900129999']),
    ],
  },
  {
    title: 'What the form shows is decrypted for the reason that the token holds',
    request: (facts) => ({
      method: 'POST',
      path: '/users/vault/decrypt',
      body: { fields: ['id.city'] },
      token: formToken(facts),
    }),
    claims: [
      status(200),
      {
        says: 'it is the city that was written; of the refused call nothing was',
        holds: ({ body }) => body['id.city'] === CITY,
      },
    ],
  },
];
