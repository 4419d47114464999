/** Steps of the tour: a third party gets access, a person uses a hosted page, and support reads the access log. */
import { HOSTED_CODE } from '../../nouns/hosted/facts.ts';
import { JANE, ROBIN } from './people.ts';
import type { TourPart } from './tour.ts';

const CARD_NUMBER = '4242424242424242';
const RECEIPT = 'R-2026-17';
const VALUES = [JANE['id.ssn9'], JANE['id.first_name'], 'JANE'];
const reason = { 'x-fp-proxy-access-reason': 'demo: background check' };
/** The third party requires a client certificate. */
const mutualTls = {
  'x-fp-proxy-pin-cert': { variable: 'AUTHORITY', value: '{authority}' },
  'x-fp-proxy-client-cert': { variable: 'CLIENT_CERT', value: '{clientCertificate}' },
  'x-fp-proxy-client-key': { variable: 'CLIENT_KEY', value: '{clientKey}' },
};
/** A request for a background check, with Jane's name and number. */
const check = {
  name: '{{ {user}.id.first_name | to_uppercase }}',
  number: '{{ {user}.id.ssn9 }}',
  kind: 'background',
};
/** The token from the end of the link, with which the page makes its calls. */
const token = { variable: 'FLOW_TOKEN', value: '{flowToken}' };

export const accessParts: readonly TourPart[] = [
  {
    promise: 'A third party gets values that your program never sees',
    steps: [
      {
        title: 'A third party gets the data, and the program that sends it has only tokens',
        call: 'POST /vault_proxy/jit',
        headers: { 'x-fp-proxy-target-url': '{thirdParty}', ...mutualTls, ...reason },
        body: check,
        remember: { proxyRequest: 'headers.x-request-id' },
        claims: [
          {
            says: 'it is the answer of the third party, which lists what it got',
            header: { 'x-fp-proxy-upstream-status-code': '200' },
          },
          {
            says: 'it got the name in capitals, and the number',
            is: { body: JSON.stringify({ name: 'JANE', number: JANE['id.ssn9'], kind: 'background' }) },
          },
          {
            says: 'it saw the certificate of the client, and neither the API key nor any header of the proxy',
            is: { 'tls.client_certificate': 'CN=kyclone echo client' },
            noNames: { headers: /^(?:authorization|x-fp-.*)$/ },
          },
        ],
      },
      {
        title: 'Some targets are refused: the metadata of a cloud, for example',
        call: 'POST /vault_proxy/jit',
        headers: { 'x-fp-proxy-target-url': 'http://169.254.169.254/', ...reason },
        body: check,
        answer: '400 proxy_target_refused',
        claims: [{ says: 'no value is in the refusal', without: VALUES }],
      },
      {
        title: 'The answer of a third party goes into the vault before anyone sees it',
        call: 'POST /vault_proxy/jit',
        headers: {
          'x-fp-proxy-target-url': '{thirdParty}/json',
          'x-fp-id': '{user}',
          'x-fp-proxy-ingress-content-type': 'json',
          'x-fp-proxy-ingress-rule': 'custom.receipt=$.receipt, card.checkout.number=$.card.number',
          ...mutualTls,
        },
        // The third party of this tour returns what it gets.
        body: { receipt: RECEIPT, card: { number: CARD_NUMBER, brand: 'visa' } },
        claims: [
          {
            says: 'in the place of each value there is its name in the vault',
            is: {
              receipt: '{user}.custom.receipt',
              card: { number: '{user}.card.checkout.number', brand: 'visa' },
            },
          },
          { says: 'neither of the values is in the answer', without: [RECEIPT, CARD_NUMBER] },
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
          {
            says: 'the receipt, the number and its last four digits',
            is: {
              'custom.receipt': RECEIPT,
              'card.checkout.number': CARD_NUMBER,
              'card.checkout.number_last4': CARD_NUMBER.slice(-4),
            },
          },
        ],
      },
      {
        title: 'The emulator can explain a call afterwards',
        call: 'GET /_kyclone/requests/{proxyRequest}/proxy',
        claims: [
          {
            says: 'both tokens were found, and the target was trusted by its pinned authority',
            is: { 'tokens[].found': [true, true], 'tls.pinned': 'ca' },
          },
          { says: 'there are masks in it and no values', without: VALUES },
        ],
      },
      {
        title: 'The access log records reads for third parties, with the reason',
        call: 'GET /_kyclone/access-log?operation=proxy',
        claims: [
          {
            says: 'the two of the first call; the refused call read nothing',
            rows: {
              of: 'data',
              columns: ['outcome', 'reason', 'identifiers'],
              are: ['granted demo: background check id.first_name,id.ssn9'],
            },
          },
        ],
      },
    ],
  },
  {
    promise: 'A person can enter the data on a hosted page',
    steps: [
      {
        title: 'Some apps let the service ask for data: this playbook needs a name and a birthday',
        call: 'POST /_kyclone/playbooks',
        body: {
          name: 'At the page',
          kind: 'kyc',
          requirements: [['id.first_name'], ['id.last_name'], ['id.dob']],
        },
        remember: { pagePlaybook: 'key' },
      },
      {
        title: 'The backend gets a link to a page of the instance',
        call: 'POST /onboarding/session',
        body: { key: '{pagePlaybook}' },
        remember: { flowToken: 'token' },
        claims: [
          {
            says: 'its token comes after the #, so it reaches no log',
            form: { link: /\/hosted\/onboarding#obtok_\w+$/ },
          },
        ],
      },
      {
        title: 'The page sends the e-mail address that the person enters',
        call: 'POST /hosted/session/identify',
        body: { data: { 'id.email': ROBIN['id.email'] } },
        token,
        claims: [
          { says: 'the code comes next', is: { step: 'identify' } },
          { says: 'the address comes back masked', without: [ROBIN['id.email']] },
        ],
      },
      {
        title: 'The one-time code, the same for everyone',
        call: 'POST /hosted/session/verify',
        body: { code: HOSTED_CODE },
        token,
        claims: [{ says: 'the page asks for data now', is: { step: 'data' } }],
      },
      {
        title: 'An invalid entry is refused, with its field named',
        call: 'POST /hosted/session/data',
        body: { screen: 'birth', data: { 'id.dob': '1988-02-31' } },
        token,
        answer: '400 T120',
        claims: [{ says: 'the answer names the field', context: ['id.dob'] }],
      },
      {
        title: 'A screen at a time',
        call: 'POST /hosted/session/data',
        body: { screen: 'birth', data: { 'id.dob': ROBIN['id.dob'] } },
        token,
        claims: [{ says: 'the name is still missing', is: { step: 'data' } }],
      },
      {
        title: 'and the other one',
        call: 'POST /hosted/session/data',
        body: {
          screen: 'name',
          data: { 'id.first_name': ROBIN['id.first_name'], 'id.last_name': ROBIN['id.last_name'] },
        },
        token,
        claims: [{ says: 'all is there: the page shows it, masked', is: { step: 'review' } }],
      },
      {
        title: 'The person agrees',
        call: 'POST /hosted/session/consent',
        body: { consent: true },
        token,
        claims: [{ says: 'in the sandbox the outcome is chosen last', is: { step: 'outcome' } }],
      },
      {
        title: 'and is done',
        call: 'POST /hosted/session/complete',
        body: { fixture_result: 'pass' },
        token,
        remember: { validationToken: 'validation_token' },
        claims: [
          { says: 'the page takes a token back to the app', form: { validation_token: /^vtok_\w+$/ } },
        ],
      },
      {
        title: 'The app believes its backend only, which validates the token',
        call: 'POST /onboarding/session/validate',
        body: { validation_token: '{validationToken}' },
        claims: [{ says: 'the person passed', is: { 'user.status': 'pass' } }],
      },
      {
        title: 'Anyone with the link now sees none of the data',
        call: 'GET /hosted/session',
        token,
        claims: [
          {
            says: 'no name, no birthday, no address',
            without: [ROBIN['id.first_name'], ROBIN['id.dob'], ROBIN['id.email']],
          },
        ],
      },
    ],
  },
  {
    promise: 'Every read is logged with its reason, even a refused one',
    steps: [
      {
        title: 'Every read was recorded, even the refused one',
        call: 'GET /_kyclone/access-log?fp_id={user}',
        claims: [
          {
            says: 'the decryptions are there with their reasons',
            some: {
              of: 'data',
              have: [
                { outcome: 'granted', reason: 'demo: support case' },
                { outcome: 'granted', reason: 'demo: birthday list' },
                { outcome: 'granted', reason: 'demo: what was it before?' },
              ],
            },
          },
          {
            says: 'so is the one without a reason, as refused',
            some: { of: 'data', have: [{ outcome: 'refused', reason: null }] },
          },
          {
            says: 'so are the comparison and the download',
            some: { of: 'data', have: [{ operation: 'integrity' }, { operation: 'download' }] },
          },
        ],
      },
      {
        title: 'The log is a chain of hashes: a changed or missing entry would show',
        call: 'GET /_kyclone/access-log/verify',
        claims: [{ says: 'the chain holds', is: { ok: true }, above: { checked: '4' } }],
      },
    ],
  },
];
