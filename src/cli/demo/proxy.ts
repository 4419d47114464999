import { JANE } from './people.ts';
import type { ThirdParty } from './stage.ts';
import {
  fact,
  header,
  listOf,
  status,
  withoutText,
  type Facts,
  type TourStep,
  type StepRequest,
} from './tour.ts';

const CARD_NUMBER = '4242424242424242';
const RECEIPT = 'R-2026-17';
const VALUES = [JANE['id.ssn9'], JANE['id.first_name'], 'JANE'];

/** Sends vaulted data to a third party that requires a client certificate, and stores its response in the vault. */
export function proxySteps(party: ThirdParty): readonly TourStep[] {
  const mutualTls = {
    'x-fp-proxy-pin-cert': { variable: 'AUTHORITY', value: base64(party.authority) },
    'x-fp-proxy-client-cert': { variable: 'CLIENT_CERT', value: base64(party.client.certificate) },
    'x-fp-proxy-client-key': { variable: 'CLIENT_KEY', value: base64(party.client.key) },
  };
  return [
    {
      title: 'A third party gets the data, and the program that sends it has only tokens',
      request: (facts) => check(facts, { 'x-fp-proxy-target-url': party.url, ...mutualTls }),
      claims: [
        status(200),
        header(
          'x-fp-proxy-upstream-status-code',
          '200',
          'it is the answer of the third party, which lists what it got',
        ),
        {
          says: 'it got the name in capitals, and the number',
          holds: ({ body }) =>
            body['body'] === JSON.stringify({ name: 'JANE', number: JANE['id.ssn9'], kind: 'background' }),
        },
        {
          says: 'it saw the certificate of the client, and neither the API key nor any header of the proxy',
          holds: ({ body }) =>
            (body['tls'] as { client_certificate?: unknown } | null)?.client_certificate ===
              'CN=kyclone echo client' &&
            Object.keys(body['headers'] ?? {}).every((name) => !/^(?:authorization|x-fp-.*)$/.test(name)),
        },
      ],
      remember: ({ headers }, facts) => facts.set('proxy request', String(headers['x-request-id'])),
    },
    {
      title: 'Some targets are refused: the metadata of a cloud, for example',
      request: (facts) => check(facts, { 'x-fp-proxy-target-url': 'http://169.254.169.254/' }),
      claims: [status(400, 'proxy_target_refused'), withoutText('no value is in the refusal', VALUES)],
    },
    {
      title: 'The answer of a third party goes into the vault before anyone sees it',
      request: (facts) => ({
        method: 'POST',
        path: '/vault_proxy/jit',
        headers: {
          'x-fp-proxy-target-url': `${party.url}/json`,
          'x-fp-id': fact(facts, 'user'),
          'x-fp-proxy-ingress-content-type': 'json',
          'x-fp-proxy-ingress-rule': 'custom.receipt=$.receipt, card.checkout.number=$.card.number',
          ...mutualTls,
        },
        // The third party of this tour returns what it gets.
        body: { receipt: RECEIPT, card: { number: CARD_NUMBER, brand: 'visa' } },
      }),
      claims: [
        status(200),
        {
          says: 'in the place of each value there is its name in the vault',
          holds: ({ body }, facts) =>
            JSON.stringify(body) ===
            JSON.stringify({
              receipt: `${fact(facts, 'user')}.custom.receipt`,
              card: { number: `${fact(facts, 'user')}.card.checkout.number`, brand: 'visa' },
            }),
        },
        withoutText('neither of the values is in the answer', [RECEIPT, CARD_NUMBER]),
      ],
    },
    {
      title: 'The values are there, with those derived from the card number',
      request: (facts) => ({
        method: 'POST',
        path: `/users/${fact(facts, 'user')}/vault/decrypt`,
        body: {
          fields: ['custom.receipt', 'card.checkout.number', 'card.checkout.number_last4'],
          reason: 'demo: what came in?',
        },
      }),
      claims: [
        status(200),
        {
          says: 'the receipt, the number and its last four digits',
          holds: ({ body }) =>
            body['custom.receipt'] === RECEIPT &&
            body['card.checkout.number'] === CARD_NUMBER &&
            body['card.checkout.number_last4'] === CARD_NUMBER.slice(-4),
        },
      ],
    },
    {
      title: 'The emulator can explain a call afterwards',
      request: (facts) => ({
        method: 'GET',
        path: `/_kyclone/requests/${fact(facts, 'proxy request')}/proxy`,
      }),
      claims: [
        status(200),
        {
          says: 'both tokens were found, and the target was trusted by its pinned authority',
          holds: ({ body }) =>
            listOf(body['tokens'])
              .map(({ found }) => found)
              .join() === 'true,true' && (body['tls'] as { pinned: unknown } | null)?.pinned === 'ca',
        },
        withoutText('there are masks in it and no values', VALUES),
      ],
    },
    {
      title: 'The access log records reads for third parties, with the reason',
      request: () => ({ method: 'GET', path: '/_kyclone/access-log?operation=proxy' }),
      claims: [
        status(200),
        {
          says: 'the two of the first call; the refused call read nothing',
          holds: ({ body }) =>
            listOf(body['data'])
              .map(({ outcome, reason, identifiers }) => [outcome, reason, String(identifiers)].join())
              .join('; ') === 'granted,demo: background check,id.first_name,id.ssn9',
        },
      ],
    },
  ];
}

/** A request for a background check, with Jane's name and number. */
function check(facts: Facts, headers: Required<StepRequest>['headers']): StepRequest {
  const user = fact(facts, 'user');
  return {
    method: 'POST',
    path: '/vault_proxy/jit',
    headers: { ...headers, 'x-fp-proxy-access-reason': 'demo: background check' },
    body: {
      name: `{{ ${user}.id.first_name | to_uppercase }}`,
      number: `{{ ${user}.id.ssn9 }}`,
      kind: 'background',
    },
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
