import { JANE } from './people.ts';
import type { ThirdParty } from './stage.ts';
import { has, header, lists, listOf, status, withoutText, type TourStep } from './tour.ts';

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
  const reason = { 'x-fp-proxy-access-reason': 'demo: background check' };
  /** A request for a background check, with Jane's name and number. */
  const check = {
    name: '{{ {user}.id.first_name | to_uppercase }}',
    number: '{{ {user}.id.ssn9 }}',
    kind: 'background',
  };
  return [
    {
      title: 'A third party gets the data, and the program that sends it has only tokens',
      call: 'POST /vault_proxy/jit',
      headers: { 'x-fp-proxy-target-url': party.url, ...mutualTls, ...reason },
      body: check,
      remember: { proxyRequest: ({ headers }) => headers['x-request-id'] },
      claims: [
        header(
          'x-fp-proxy-upstream-status-code',
          '200',
          'it is the answer of the third party, which lists what it got',
        ),
        has('it got the name in capitals, and the number', {
          body: JSON.stringify({ name: 'JANE', number: JANE['id.ssn9'], kind: 'background' }),
        }),
        {
          says: 'it saw the certificate of the client, and neither the API key nor any header of the proxy',
          holds: ({ body }) =>
            (body['tls'] as { client_certificate?: unknown } | null)?.client_certificate ===
              'CN=kyclone echo client' &&
            Object.keys(body['headers'] ?? {}).every((name) => !/^(?:authorization|x-fp-.*)$/.test(name)),
        },
      ],
    },
    {
      title: 'Some targets are refused: the metadata of a cloud, for example',
      call: 'POST /vault_proxy/jit',
      headers: { 'x-fp-proxy-target-url': 'http://169.254.169.254/', ...reason },
      body: check,
      answer: status(400, 'proxy_target_refused'),
      claims: [withoutText('no value is in the refusal', VALUES)],
    },
    {
      title: 'The answer of a third party goes into the vault before anyone sees it',
      call: 'POST /vault_proxy/jit',
      headers: {
        'x-fp-proxy-target-url': `${party.url}/json`,
        'x-fp-id': '{user}',
        'x-fp-proxy-ingress-content-type': 'json',
        'x-fp-proxy-ingress-rule': 'custom.receipt=$.receipt, card.checkout.number=$.card.number',
        ...mutualTls,
      },
      // The third party of this tour returns what it gets.
      body: { receipt: RECEIPT, card: { number: CARD_NUMBER, brand: 'visa' } },
      claims: [
        has('in the place of each value there is its name in the vault', {
          receipt: '{user}.custom.receipt',
          card: { number: '{user}.card.checkout.number', brand: 'visa' },
        }),
        withoutText('neither of the values is in the answer', [RECEIPT, CARD_NUMBER]),
      ],
    },
    {
      title: 'The values are there, with those derived from the card number',
      call: 'POST /users/{user}/vault/decrypt',
      body: {
        fields: ['custom.receipt', 'card.checkout.number', 'card.checkout.number_last4'],
        reason: 'demo: what came in?',
      },
      claims: [
        has('the receipt, the number and its last four digits', {
          'custom.receipt': RECEIPT,
          'card.checkout.number': CARD_NUMBER,
          'card.checkout.number_last4': CARD_NUMBER.slice(-4),
        }),
      ],
    },
    {
      title: 'The emulator can explain a call afterwards',
      call: 'GET /_kyclone/requests/{proxyRequest}/proxy',
      claims: [
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
      call: 'GET /_kyclone/access-log?operation=proxy',
      claims: [
        lists(
          'the two of the first call; the refused call read nothing',
          'data',
          ['outcome', 'reason', 'identifiers'],
          ['granted demo: background check id.first_name,id.ssn9'],
        ),
      ],
    },
  ];
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
