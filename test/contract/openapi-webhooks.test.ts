/** The `webhooks` section of the document is compared with real events and with the headers of deliveries. */
import { expect, test } from 'vitest';
import { signatures, signedHeaders } from '../../src/nouns/webhooks/service/signing.ts';
import { aReadyUser, KYC } from '../support/builders.ts';

import { startService, type TestService } from '../support/service.ts';
import { documentOf, validatorOf, vocabulary } from './openapi-document.ts';

const document = documentOf();

/** Makes the calls that cause every kind of event. */
async function live(service: TestService): Promise<void> {
  const fp_id = await service.user({});
  const params = { fp_id };
  await service.call('PATCH /users/{fp_id}/vault', { params, body: aReadyUser() });
  await service.call('POST /users/{fp_id}/kyc', { params, body: { key: KYC, fixture_result: 'pass' } });
  const body = { status: 'fail', annotation: 'Looked at by hand' } as const;
  await service.call('POST /users/{fp_id}/decisions', { params, body });
  const intent = await service.call('POST /_kyclone/bank_link_intents', { body: { fp_id } });
  const { intent_token } = intent.body;
  const { body: link } = await service.call('POST /bank_links', { body: { intent_token } });
  const at = { link_id: link.id };
  await service.call('POST /bank_links/{link_id}/data_refresh', { params: at, body: ['transactions'] });
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '1m' } });
  await service.call('POST /bank_links/{link_id}/reset', { params: at });
  await service.call('POST /_kyclone/entities/{fp_id}/request_info', {
    params: { fp_id },
    body: { note: 'More' },
  });
}

test('webhooks: every event that happens fits the body of its kind, and each kind is among them', async () => {
  await using service = await startService({ settings: { events: { extended: true } } });
  await live(service);
  const ajv = validatorOf(document);

  const { body } = await service.call('GET /_kyclone/events', { query: { page_size: '100' } as never });

  const kinds = new Set<string>();
  for (const { body: event } of body.data) {
    const kind = String(event['event_kind']);
    kinds.add(kind);
    const schema = document.webhooks[kind]?.post.requestBody.content['application/json'].schema ?? false;
    expect(ajv.validate(schema, event), JSON.stringify({ event, errors: ajv.errors })).toBe(true);
    const { properties = {} } = document.components.schemas[nameIn(schema)] as { properties?: object };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(event)));
  }
  expect([...kinds].sort()).toEqual(Object.keys(document.webhooks).sort());
});

function nameIn(schema: unknown): string {
  return (schema as { $ref?: string }).$ref?.split('/').at(-1) ?? '';
}

test.each(['standard', 'svix'] as const)(
  'webhooks: the headers of style %s are those that are sent',
  (style) => {
    const signed = { id: `evt_${'0'.repeat(22)}`, seconds: 1_772_366_400, body: '{}' };
    const signature = signatures([Buffer.alloc(32)], signed);
    const sent = signedHeaders({ ...signed, signature }, style);
    const { webhooks } = documentOf({
      vocabulary: { ...vocabulary, webhook_style: style, event_prefix: 'acme' },
    });

    for (const [kind, { post }] of Object.entries(webhooks)) {
      expect(kind).toMatch(/^acme\./);
      expect(post.parameters.map(({ name }) => name)).toEqual(Object.keys(sent));
      for (const { name, schema } of post.parameters) {
        expect(sent[name]).toMatch(new RegExp(String(schema['pattern'])));
      }
    }
  },
);
