/** Webhook endpoints, events and deliveries (contract §9, §11). */
import { Type } from '@sinclair/typebox';
import { DELIVERY_FILTERS, DELIVERY_STATUSES, EVENT_KINDS, TRIGGER_COUNT } from '../facts.ts';
import { control, endpoint } from '../../../contract/endpoint.ts';
import { EXPECTS, FORMER_NAMES } from '../../../contract/expectation.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  Empty,
  EnvironmentName,
  Nullable,
  OneOf,
  SpaceQuery,
  Timestamp,
  WordOf,
  OptionalReason,
  strict,
} from '../../../contract/shapes.ts';

/** Without its prefix, as stored. */
const EventKindName = named('EventKind', WordOf(EVENT_KINDS));

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'an http or https URL',
  [EXPECTS]: 'an http or https URL of at most 2048 characters',
});
const WebhookId = Type.String({
  minLength: 1,
  maxLength: 64,
  [EXPECTS]: 'the id of a webhook endpoint (whk_…)',
});
const Kinds = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
  minItems: 1,
  maxItems: 20,
  description: 'a list of event kinds, with or without their prefix, or ["*"]',
  [EXPECTS]: 'a list of 1 to 20 event kinds, or ["*"] for all',
});
const Secret = Type.String({
  pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$',
  description: 'whsec_ and the base64 of 24 to 64 bytes',
  [EXPECTS]: 'whsec_ followed by the base64 of 24 to 64 bytes',
});

export const WebhookEndpoint = named(
  'Webhook',
  Type.Object({
    id: Type.String(),
    url: Type.String(),
    secret: Type.Optional(
      Type.String({ description: 'only on creation, on rotation and with ?reveal=true' }),
    ),
    kinds: Type.Array(WordOf(['*', ...EVENT_KINDS])),
    tenant: Type.String(),
    environment: EnvironmentName,
    enabled: Type.Boolean(),
    created_at: Timestamp,
    disabled_reason: Nullable(Type.String()),
  }),
);

const MaskedName = Type.Optional(
  Nullable(
    Type.String({
      description:
        'the masked name of the user or business, in lists of events and deliveries; null without one, and once it is deleted',
    }),
  ),
);

const WebhookEvent = named(
  'Event',
  Type.Object({
    id: Type.String({ description: 'evt_…, the webhook-id of its deliveries' }),
    kind: EventKindName,
    at: Timestamp,
    body: Type.Record(Type.String(), Type.Unknown()),
    masked_name: MaskedName,
  }),
);

const DeliveryStatus = named('DeliveryStatus', OneOf(DELIVERY_STATUSES));
const DeliveryFilterStatus = named('DeliveryFilterStatus', OneOf(DELIVERY_FILTERS));

const Attempt = named(
  'DeliveryAttempt',
  Type.Object({
    attempt: Type.Integer(),
    at: Timestamp,
    response_status: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    ms: Type.Number(),
    hint: Nullable(Type.String()),
    webhook_timestamp: Nullable(
      Type.Integer({ description: 'the header as it was sent, in Unix seconds; null when nothing was sent' }),
    ),
    webhook_signature: Nullable(
      Type.String({ description: 'the header as it was sent; null when nothing was sent' }),
    ),
  }),
);

/** An event for one endpoint, with the members of the last attempt, and all attempts. */
export const Delivery = named(
  'Delivery',
  Type.Object({
    id: Type.String(),
    event_id: Type.String(),
    webhook_id: Type.String(),
    fp_id: Type.String({ description: 'the user or business of the event' }),
    external_id: Nullable(
      Type.String({ description: 'of the user or business; null without one, and once it is deleted' }),
    ),
    masked_name: MaskedName,
    kind: EventKindName,
    url: Type.String(),
    attempt: Type.Integer({ description: 'number of attempts made; 0 before the first' }),
    at: Nullable(Timestamp),
    next_at: Nullable(Timestamp),
    status: DeliveryStatus,
    response_status: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    ms: Nullable(Type.Number()),
    hint: Nullable(Type.String()),
    created_at: Timestamp,
    attempts: Type.Array(Attempt),
  }),
);

/** Irregular deliveries on demand, to test that a receiver handles them. */
export const Tampering = named(
  'Tampering',
  Type.Object(
    {
      duplicate: Type.Optional(Type.Boolean({ description: 'deliver each event twice, under the same id' })),
      shuffle: Type.Optional(Type.Boolean({ description: 'deliver the events out of order' })),
      bad_signature: Type.Optional(
        Type.Boolean({
          description: 'sign with a wrong secret; one attempt, which the receiver should refuse',
        }),
      ),
      skew_ms: Type.Optional(
        Type.Integer({
          minimum: -31_536_000_000,
          maximum: 31_536_000_000,
          description:
            'offset of the signed time in milliseconds; one attempt, which the receiver should refuse',
          [EXPECTS]: 'an integer of milliseconds from -31536000000 to 31536000000 (a year either way)',
        }),
      ),
      drop_first: Type.Optional(Type.Boolean({ description: 'drop the first attempt' })),
    },
    strict,
  ),
);

export const webhookEndpoints = [
  endpoint('GET /_kyclone/webhooks', {
    operationId: 'listWebhooks',
    ...control,
    query: Type.Object({ ...SpaceQuery, ...CursorQuery }),
    response: CursorPage(WebhookEndpoint),
    errors: ['not_found'],
    summary: 'Webhook endpoints of a tenant and environment, newest first',
  }),
  endpoint('POST /_kyclone/webhooks', {
    operationId: 'createWebhook',
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'CreateWebhookRequest',
      Type.Object(
        {
          url: Url,
          kinds: Type.Optional(Kinds),
          enabled: Type.Optional(Type.Boolean()),
          secret: Type.Optional(Secret),
        },
        strict,
      ),
    ),
    response: WebhookEndpoint,
    errors: ['not_found'],
    assumed: [
      {
        what: 'signed headers, 15 s timeout, eight attempts over 27 h, registration in the control plane',
        why: 'A69',
      },
      { what: 'secret may be set to a fixed value', why: 'ours: as POST /_kyclone/api-keys' },
    ],
    summary: 'Register a URL for events; returns the secret',
  }),
  endpoint('GET /_kyclone/webhooks/{id}', {
    operationId: 'getWebhook',
    ...control,
    query: Type.Object({ ...SpaceQuery, reveal: Type.Optional(Type.Boolean()) }),
    response: WebhookEndpoint,
    summary: 'Read a webhook endpoint; with reveal=true also its secret',
  }),
  endpoint('PATCH /_kyclone/webhooks/{id}', {
    operationId: 'updateWebhook',
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'UpdateWebhookRequest',
      Type.Object(
        { url: Type.Optional(Url), kinds: Type.Optional(Kinds), enabled: Type.Optional(Type.Boolean()) },
        strict,
      ),
    ),
    response: WebhookEndpoint,
    summary: 'Change, disable or enable a webhook endpoint',
  }),
  endpoint('DELETE /_kyclone/webhooks/{id}', {
    operationId: 'deleteWebhook',
    ...control,
    query: Type.Object(SpaceQuery),
    response: Empty,
    summary: 'Delete a webhook endpoint and abandon its pending deliveries',
  }),
  endpoint('POST /_kyclone/webhooks/{id}/rotate', {
    operationId: 'rotateWebhookSecret',
    ...control,
    query: Type.Object(SpaceQuery),
    response: WebhookEndpoint,
    summary: 'Create a new secret; for 24 hours deliveries are signed with both',
  }),
  endpoint('GET /_kyclone/events', {
    operationId: 'listEvents',
    ...control,
    query: Type.Object({
      ...SpaceQuery,
      ...CursorQuery,
      kind: Type.Optional(Type.String()),
      event_id: Type.Optional(Type.String()),
      fp_id: Type.Optional(Type.String()),
      since: Type.Optional(Type.String({ format: 'date-time' })),
    }),
    response: CursorPage(WebhookEvent),
    errors: ['not_found'],
    assumed: [{ what: 'masked_name', why: 'ours: support knows people by name, not by id' }],
    summary: 'What happened, newest first',
  }),
  endpoint('POST /_kyclone/events/trigger', {
    operationId: 'triggerEvent',
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'TriggerEventRequest',
      Type.Object(
        {
          kind: Type.String({ minLength: 1, maxLength: 128, [EXPECTS]: `one of ${EVENT_KINDS.join(', ')}` }),
          fp_id: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 64,
              [EXPECTS]: 'the id of a user (fp_id_…) or of a business (fp_bid_…)',
            }),
          ),
          body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
          count: Type.Optional(Type.Integer({ minimum: TRIGGER_COUNT.least, maximum: TRIGGER_COUNT.most })),
          webhook_id: Type.Optional(WebhookId),
          tampering: Type.Optional(Tampering),
        },
        { ...strict, [FORMER_NAMES]: { mischief: 'tampering' } },
      ),
    ),
    response: named(
      'TriggeredEvent',
      Type.Object({
        ...WebhookEvent.properties,
        deliveries: Type.Array(Type.String(), { description: 'ids of the deliveries of all its events' }),
        others: Type.Optional(
          Type.Array(WebhookEvent, { description: 'the other events, for count above 1' }),
        ),
      }),
    ),
    errors: ['not_found'],
    assumed: [
      { what: 'count, webhook_id and tampering are members of the body', why: 'ours: to test receivers' },
    ],
    summary: 'Send a sample event, signed, for a real entity or a made-up one',
  }),
  endpoint('POST /_kyclone/events/{id}/resend', {
    operationId: 'resendEvent',
    isAct: true,
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'ResendEventRequest',
      Type.Object({ webhook_id: Type.Optional(WebhookId), reason: OptionalReason }, strict),
    ),
    bodyOptional: true,
    response: named('Redelivery', Type.Object({ data: Type.Array(Delivery) })),
    summary: 'Deliver an event again: the same id, a fresh signature, a new series of attempts',
  }),
  endpoint('GET /_kyclone/deliveries', {
    operationId: 'listDeliveries',
    ...control,
    query: Type.Object({
      ...SpaceQuery,
      ...CursorQuery,
      kind: Type.Optional(Type.String()),
      webhook_id: Type.Optional(Type.String()),
      event_id: Type.Optional(Type.String()),
      fp_id: Type.Optional(Type.String()),
      external_id: Type.Optional(Type.String({ description: 'of the user or business, whole' })),
      status: Type.Optional(DeliveryFilterStatus),
      error: Type.Optional(
        Type.String({ description: 'words of the error, hint or status of the last attempt' }),
      ),
      q: Type.Optional(
        Type.String({
          description:
            'words, each of which is in an id, external id, kind, status, URL, error, hint or response status',
        }),
      ),
    }),
    response: CursorPage(Delivery),
    errors: ['not_found'],
    assumed: [
      {
        what: 'fp_id, external_id, masked_name, and the filters fp_id, external_id, error, q and failing',
        why: 'ours: support asks why a webhook about a person did not come',
      },
    ],
    summary: 'Deliveries with their receivers and results, newest first',
  }),
] as const;
