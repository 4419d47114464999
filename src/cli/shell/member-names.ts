/** Members of requests that have another name on the command line, for errors in the words of the command line. */

/** By the command or its topic: the flag or argument that gives the member. */
export const MEMBER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { environment: 'live', kinds: 'kind', onboarding_id: 'onboarding', enabled: 'disabled' },
  'bank:links': { fp_id: 'id' },
  'webhooks:deliveries': { q: 'search' },
  'decisions:create': { reviewer_email: 'reviewer' },
  'users:compare': { with: 'other' },
  'users:verify': { values: 'also' },
  'users:request-info': { fields: 'field' },
  'businesses:compare': { with: 'other' },
  'businesses:verify': { values: 'also' },
  'users:token': { scopes: 'scope', decrypt_reason: 'reason' },
  'businesses:token': { scopes: 'scope', decrypt_reason: 'reason' },
  faults: { match: 'path', latency_ms: 'latency' },
  keys: { scopes: 'scope', permissions: 'permission', enabled: 'enable' },
  'users:cip': { account_id: 'account', default_approver: 'approver' },
  'users:cip-report': { default_approver: 'approver' },
  'users:kyc': {
    key: 'playbook',
    fixture_result: 'result',
    onboarding_external_id: 'external-id',
    generate_link_on_stepup: 'link-on-step-up',
  },
  'businesses:kyb': { key: 'playbook', fixture_result: 'result', onboarding_external_id: 'external-id' },
  'businesses:owners': { fp_id: 'add', ownership_stake: 'add' },
  'vault:decrypt': { transforms: 'transform', version_at: 'at-time' },
  'webhooks:trigger': { webhook_id: 'to', body: 'set' },
  'onboardings:start': { key: 'playbook', onboarding_external_id: 'external-id' },
  'onboardings:token': {
    key: 'playbook',
    fp_bid: 'business',
    limit_auth_methods: 'limit-auth-method',
  },
  'onboardings:complete': { business_data: 'fields', fixture_result: 'result' },
  'onboardings:sessions': { fp_id: 'entity' },
  'onboardings:validate': { validation_token: 'token' },
  outcomes: { match: 'where', delay_ms: 'delay', signals: 'add-signal', 'signals.remove': 'remove-signal' },
  'outcomes:update': { enabled: 'enable' },
  playbooks: {
    requirements: 'require',
    has_rules: 'rules',
    delay_ms: 'delay',
    session_delay_ms: 'session-delay',
    owners_playbook_key: 'owners-playbook',
    documents: 'document',
  },
  'proxy:configs': {
    url: 'target',
    access_reason: 'reason',
    headers: 'header',
    secret_headers: 'secret-header',
    pins: 'pin-cert',
    client_identity: 'client-cert',
  },
  'proxy:configs:update': { enabled: 'enable' },
  'vault:integrity': { fields: 'identifiers' },
  webhooks: { kinds: 'events', webhook_id: 'webhook', event_id: 'event' },
  'webhooks:update': { enabled: 'enable' },
  'webhooks:resend': { webhook_id: 'to' },
};

/** The flag or argument of a member, by the most particular entry; undefined for one of the same name. */
export function givenAs(commandId: string, member: string): string | undefined {
  const words = commandId.split(':');
  for (let length = words.length; length >= 0; length -= 1) {
    const found = MEMBER_NAMES[words.slice(0, length).join(':')]?.[member];
    if (found !== undefined) return found;
  }
  return undefined;
}
