/** Settings that can be changed while an instance runs (contract §0.13, §11). */
import { Type, type Static } from '@sinclair/typebox';
import { DEFAULT_SECRET_KEY_HEADER, EGRESS_POLICIES, TIMESTAMP_CLOCKS, WEBHOOK_STYLES } from '../facts.ts';
import { REASON_LIMIT } from '../../access-log/facts.ts';
import { EXPECTS } from '../../../contract/expectation.ts';
import { named, OneOf, strict } from '../../../contract/shapes.ts';

const PathWord = Type.String({
  pattern: '^[^/\\s{}]{1,64}$',
  description: 'a path segment, not empty, without /',
  [EXPECTS]: '1 to 64 characters without a slash, a blank or a brace',
});
const MemberWord = Type.String({
  pattern: '^[A-Za-z_][A-Za-z0-9_.\\-]{0,63}$',
  [EXPECTS]:
    '1 to 64 letters, digits, dots, underscores or hyphens, beginning with a letter or an underscore',
});

const Vocabulary = named(
  'Vocabulary',
  Type.Object(
    {
      event_prefix: MemberWord,
      partner_a: PathWord,
      partner_b: PathWord,
      partner_response: MemberWord,
      vendors: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 16, maxItems: 16 }),
      secret_key_header: Type.String({
        pattern: '^[a-z0-9][a-z0-9\\-]{0,63}$',
        description: 'a lower-case header name',
        [EXPECTS]: 'the name of a header: 1 to 64 lower-case letters, digits or hyphens',
      }),
      duplicate_name_dob: MemberWord,
      webhook_style: OneOf(WEBHOOK_STYLES),
    },
    strict,
  ),
);

/** Other characters, which a URL may have in its host, have a meaning in a content security policy. */
const ORIGIN = /^https?:[/]{2}(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;
const Origin = Type.String({
  pattern: ORIGIN.source,
  description: 'scheme://host[:port], without wildcards',
  [EXPECTS]: 'an origin without wildcards (*), such as http://app.test:3000',
});

/** Whether `cors.origins` may contain this text. */
export function isSettableOrigin(text: string): boolean {
  return ORIGIN.test(text);
}

const HostName = Type.String({
  pattern: '^[A-Za-z0-9.\\-]{1,253}$',
  description: 'a host name without port',
  [EXPECTS]: 'a host name without a port, such as kyc.test',
});

export const EgressPolicy = named('EgressPolicy', OneOf(EGRESS_POLICIES));

const groups = {
  egress: Type.Object(
    {
      policy: EgressPolicy,
      extra_roots: Type.Array(
        Type.String({
          pattern: '-----BEGIN CERTIFICATE-----',
          description: 'PEM',
          [EXPECTS]: 'a certificate as PEM text',
        }),
        { maxItems: 32 },
      ),
    },
    strict,
  ),
  vocabulary: Vocabulary,
  events: Type.Object({ extended: Type.Boolean() }, strict),
  cors: Type.Object({ origins: Type.Array(Origin, { maxItems: 100 }) }, strict),
  hosts: Type.Array(HostName, { maxItems: 100 }),
  partner_b: Type.Object({ forward: Type.Boolean() }, strict),
  webhooks: Type.Object({ timestamp: OneOf(TIMESTAMP_CLOCKS) }, strict),
  bank: Type.Object({ refresh_limits: Type.Boolean() }, strict),
  support: Type.Object(
    {
      reasons: Type.Array(Type.String({ minLength: 1, maxLength: REASON_LIMIT }), {
        maxItems: 50,
        description: 'reasons that the inspector offers for an action',
      }),
    },
    strict,
  ),
};

export const Settings = named('Settings', Type.Object(groups, strict));
export type Settings = Static<typeof Settings>;

/** A merge of settings: any group, any member of it. Lists are replaced as a whole. */
export const SettingsPatch = named(
  'UpdateSettingsRequest',
  Type.Partial(
    Type.Object({
      ...groups,
      egress: Type.Partial(groups.egress, strict),
      vocabulary: Type.Partial(Type.Object(groups.vocabulary.properties), strict),
    }),
    strict,
  ),
);
export type SettingsPatch = Static<typeof SettingsPatch>;

export const DEFAULT_SETTINGS: Settings = {
  egress: { policy: 'local', extra_roots: [] },
  vocabulary: {
    event_prefix: 'service',
    partner_a: 'partner_a',
    partner_b: 'partner_b',
    partner_response: 'partner_response',
    vendors: Array.from({ length: 16 }, (_, index) => `vendor_${index + 1}`),
    secret_key_header: DEFAULT_SECRET_KEY_HEADER,
    duplicate_name_dob: 'name_dobname',
    webhook_style: 'standard',
  },
  events: { extended: false },
  cors: { origins: [] },
  hosts: [],
  partner_b: { forward: false },
  webhooks: { timestamp: 'real' },
  bank: { refresh_limits: false },
  support: { reasons: [] },
};
