/**
 * The requests that the instance sends: an operation for each kind of event, to be implemented by receivers (contract
 * §9).
 */
import { HEADER_PREFIXES } from './facts/webhooks.ts';
import { eventBodies } from './event-bodies.ts';
import type { ComponentSchemas, JsonSchema } from './json-schema.ts';
import type { Parameter } from './openapi-requests.ts';
import type { Tag } from './openapi-tags.ts';
import type { WireWords } from './openapi-words.ts';

export interface WebhookOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly [];
  readonly parameters: readonly Parameter[];
  readonly requestBody: {
    readonly required: true;
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
  };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

export type OpenApiWebhooks = Readonly<Record<string, { readonly post: WebhookOperation }>>;

/** By event kind, including its prefix. */
export function webhooks(vocabulary: WireWords, components: ComponentSchemas): OpenApiWebhooks {
  const parameters = signatureHeaders(vocabulary.webhook_style);
  return Object.fromEntries(
    eventBodies(vocabulary.event_prefix).map(({ bare, kind, summary, body }) => [
      kind,
      {
        post: {
          operationId: operationIdOf(bare),
          tags: [WEBHOOKS_TAG.name] as const,
          summary,
          description: bare === 'onboarding.completed' ? ALWAYS_SENT : SENT_ON_REQUEST,
          security: [] as const,
          parameters,
          requestBody: {
            required: true as const,
            content: { 'application/json': { schema: components.refer(body) } },
          },
          responses: RESPONSES,
        },
      },
    ]),
  );
}

export const WEBHOOKS_TAG: Tag = {
  name: 'webhooks',
  description: 'Events, each as a signed request to every webhook subscribed to its kind',
};

const ALWAYS_SENT = 'Sent to every enabled webhook subscribed to this kind.';
const SENT_ON_REQUEST =
  'Sent to every enabled webhook subscribed to this kind, once the setting `events.extended` is true.';

const RESPONSES: WebhookOperation['responses'] = {
  '2XX': { description: 'Received. Only the status of the response matters' },
  default: {
    description:
      'Not received: the delivery is retried. The same applies to a redirect, and to no response within 15 seconds',
  },
};

/** `user.bank_link_updated` is `receiveUserBankLinkUpdated`. */
function operationIdOf(kind: string): string {
  const words = kind.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `receive${words.join('')}`;
}

function signatureHeaders(style: WireWords['webhook_style']): Parameter[] {
  const prefix = HEADER_PREFIXES[style];
  return [
    {
      name: `${prefix}-id`,
      in: 'header',
      required: true,
      description: 'Id of the event, the same in every attempt, so that a receiver can recognise repeats',
      schema: { type: 'string', pattern: '^evt_[0-9A-Za-z]{22}$' },
    },
    {
      name: `${prefix}-timestamp`,
      in: 'header',
      required: true,
      description: 'Unix seconds of this attempt',
      schema: { type: 'string', pattern: '^-?[0-9]+$' },
    },
    {
      name: `${prefix}-signature`,
      in: 'header',
      required: true,
      description:
        `v1, and the base64 of HMAC-SHA256 over {${prefix}-id}.{${prefix}-timestamp}.{body}, the body as its raw bytes, ` +
        'under the bytes whose base64 follows whsec_ in the secret; for 24 hours after a rotation two signatures with ' +
        'a blank between',
      schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$' },
    },
  ];
}
