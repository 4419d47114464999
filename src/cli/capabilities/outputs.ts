/**
 * What each command prints under `--json`: an endpoint's unchanged response, or an output of the CLI itself. For
 * several, the arguments decide which one. A derived command prints what its endpoint answers.
 */
import type { EndpointKey } from '../../contract/registry.ts';

type Output = EndpointKey | OwnOutput | readonly (EndpointKey | OwnOutput)[];

/** By the command's id in the manifest, for those that aren't derived. */
export const OUTPUTS: Readonly<Record<string, Output>> = {
  api: 'any',
  'bank:import': 'import_summary',
  'bank:investments': 'GET /bank_links/{link_id}/investments/transactions',
  'bank:link': ['POST /bank_links', 'POST /_kyclone/bank_link_intents'],
  'bank:links:refresh': ['POST /bank_links/{link_id}/data_refresh', 'GET /bank_links/{link_id}'],
  'bank:personas:get': 'persona',
  'bank:tick': 'tick',
  'bank:transactions': 'GET /bank_links/{link_id}/transactions',
  'businesses:create': 'POST /businesses',
  'businesses:label': ['GET /businesses/{fp_bid}/label', 'POST /businesses/{fp_bid}/label'],
  'businesses:list': ['GET /businesses', 'GET /_kyclone/reviews'],
  'businesses:owners': 'GET /businesses/{fp_bid}/owners',
  'businesses:search': 'POST /_kyclone/search',
  'businesses:tag': 'GET /businesses/{fp_bid}/tags',
  capabilities: 'capabilities',
  'compare:record': 'compare_recording',
  'compare:replay': 'comparison',
  'compare:run': 'comparison',
  'completion:ids': 'choices',
  'completion:install': 'installation',
  'completion:print': 'printed_script',
  'completion:uninstall': 'installation',
  'config:get': 'settings',
  'config:list': 'settings',
  'config:set': 'settings',
  'config:delete': 'settings',
  console: ['console_link', 'DELETE /_kyclone/console/sessions'],
  demo: 'tour',
  docs: 'docs_page',
  doctor: 'diagnosis',
  env: 'variables',
  errors: 'error_codes',
  exec: 'of_the_command',
  'fake:business': 'made_up',
  'fake:user': 'made_up',
  'faults:delete': 'DELETE /_kyclone/faults',
  'faults:presets': 'fault_presets',
  'fixtures:check': 'fixtures_check',
  'fixtures:run': 'fixtures_run',
  init: 'initialised',
  inspect: 'inspection',
  'keyring:rotate': 'POST /_kyclone/keyring/rotate',
  logs: 'log_line',
  mcp: 'protocol_message',
  'onboardings:start': ['POST /onboarding/session', 'POST /onboarding/session/run'],
  'onboardings:get': 'GET /onboardings/{id}',
  'partner:echo': 'event_line',
  'proxy:echo': 'event_line',
  'proxy:explain': 'GET /_kyclone/requests/{id}/proxy',
  'proxy:render': 'POST /vault_proxy/render',
  'proxy:send': 'target_answer',
  'record:stop': 'recorded_fixture',
  'requests:tail': 'GET /_kyclone/requests/{id}',
  report: 'written_report',
  restart: 'instance',
  'risk-signals:catalogue': 'GET /org/risk_signals',
  'risk-signals:list': ['GET /users/{fp_id}/risk_signals', 'GET /businesses/{fp_bid}/risk_signals'],
  'snapshot:diff': 'GET /_kyclone/snapshots/{name}/diff',
  'snapshot:load': 'POST /_kyclone/snapshots/{name}/load',
  'snapshot:create': 'PUT /_kyclone/snapshots/{name}',
  start: 'instance',
  status: 'instance',
  stop: 'stopped',
  'tokens:list': 'tokens',
  transform: 'transformed',
  'users:cip': 'partner_answer',
  'users:create': 'POST /users',
  'users:label': ['GET /users/{fp_id}/label', 'POST /users/{fp_id}/label'],
  'users:list': ['GET /users', 'GET /_kyclone/reviews'],
  'users:search': ['POST /_kyclone/search', 'POST /users/search'],
  'users:tag': 'GET /users/{fp_id}/tags',
  'vault:download': 'saved_file',
  'vault:get': [
    'GET /_kyclone/entities/{fp_id}',
    'GET /users/{fp_id}/vault',
    'GET /businesses/{fp_bid}/vault',
  ],
  'vault:identifiers': 'identifiers',
  'vault:set': ['PATCH /users/{fp_id}/vault', 'PATCH /businesses/{fp_bid}/vault'],
  'vault:upload': [
    'POST /users/{fp_id}/vault/{identifier}/upload',
    'POST /businesses/{fp_bid}/vault/{identifier}/upload',
  ],
  wait: 'readiness',
  'webhooks:kinds': 'event_kinds',
  'webhooks:listen': 'event_line',
  'webhooks:secret': ['GET /_kyclone/webhooks/{id}', 'POST /_kyclone/webhooks/{id}/rotate'],
  'webhooks:trigger': 'trigger_result',
  'webhooks:verify': 'verdict',
};

/** These commands print one JSON text per line as things happen. */
export const PRINTS_LINES: ReadonlySet<string> = new Set([
  'fake:business',
  'fake:user',
  'logs',
  'mcp',
  'partner:echo',
  'proxy:echo',
  'requests:tail',
  'webhooks:listen',
]);

/**
 * A list, an object with these members (`?` ends the name of one that may be missing), a JSON Schema, or the kind of a
 * value, such as `count|null`. Members beyond those listed here may be present.
 */
export type Shape =
  | string
  | readonly [Shape]
  | { readonly schema: object }
  | { readonly anyOf: readonly Shape[] }
  | { readonly [member: string]: Shape };

/** The CLI's own outputs. */
export const OWN_OUTPUTS = {
  any: { schema: { description: 'depends on what was asked for' } },
  capabilities: {
    name: 'text',
    version: 'text',
    commands: ['object'],
    exit_codes: ['object'],
    environment: ['object'],
    output_schemas: 'object',
    api: 'object',
  },
  choices: [{ id: 'text', 'label?': 'text' }],
  compare_recording: { scenarios: [{ name: 'text', answered: 'count', skipped: 'count' }] },
  comparison: {
    ok: 'flag',
    counts: { same: 'count', different: 'count', not_comparable: 'count', new_differences: 'count' },
    exchanges: [
      {
        scenario: 'text',
        step: 'text',
        call: 'text',
        reason: 'text|null',
        outcome: { schema: { enum: ['same', 'different', 'not_comparable'] } },
      },
    ],
    data: [
      { id: 'text', known: 'flag', kind: 'text', place: 'text', emulator: 'text|null', remote: 'text|null' },
    ],
    unused: ['text'],
  },
  diagnosis: {
    ok: 'flag',
    checks: [{ name: 'text', outcome: { schema: { enum: ['ok', 'warn', 'fail'] } }, message: 'text' }],
  },
  console_link: { url: 'text', expires_at: 'text', opened: 'flag' },
  docs_page: { topic: 'text|null', url: 'text', opened: 'flag' },
  error_codes: [{ code: 'text', status: 'count', category: 'text', meaning: 'text', 'hint?': 'text' }],
  event_kinds: [
    {
      kind: 'text',
      full_kind: 'text',
      summary: 'text',
      by_default: 'flag',
      status: 'object|null',
      body: 'object',
    },
  ],
  written_report: {
    folder: 'text',
    files: ['text'],
    failed_requests: [{ id: 'text', method: 'text', path: 'text', status: 'count', code: 'text|null' }],
  },
  protocol_message: {
    schema: { type: 'object', description: 'one of many lines: a message of the Model Context Protocol' },
  },
  event_line: { schema: { type: 'object', description: 'one of many lines: what happened' } },
  fault_presets: [{ name: 'text', description: 'text', rule: 'object' }],
  fixtures_check: {
    ok: 'flag',
    files: [{ file: 'text', steps: 'count' }],
    problems: [{ file: 'text', step: 'text|null', problem: 'text' }],
  },
  fixtures_run: {
    files: [
      {
        file: 'text',
        name: 'text|null',
        steps: [{ id: 'text', call: 'text', status: 'integer', ms: 'number' }],
      },
    ],
    outputs: 'object',
  },
  identifiers: [
    {
      identifier: 'text',
      family: 'text',
      vaults: ['text'],
      storage: 'text',
      rule: 'text',
      mask: 'text',
      example: 'any',
      masked: 'text',
      searchable: 'flag',
      derived: 'flag',
      derived_from: ['text'],
    },
  ],
  import_summary: { dry_run: 'flag' },
  initialised: { directory: 'text', files: ['text'], instance: 'text' },
  inspection: {
    screen: 'text',
    title: 'text',
    panes: [{ title: 'text', more: 'flag', total: 'count|null', data: 'any' }],
  },
  installation: {
    shell: 'text',
    files: [
      {
        path: 'text',
        action: { schema: { enum: ['written', 'updated', 'unchanged', 'removed', 'absent'] } },
      },
    ],
    next: 'text',
  },
  instance: {
    base_url: 'text',
    docs_url: 'text',
    instance: 'text',
    pid: 'integer',
    version: 'text',
    ephemeral: 'flag',
    storage: 'text',
    started_at: 'text',
    'api_key?': 'text|null',
    'live_api_key?': 'text|null',
    'control_token?': 'text|null',
    'already_running?': 'flag',
    'not_ready?': 'text',
    'notices?': ['text'],
  },
  log_line: { schema: { description: 'one of many lines of the log, as it was written' } },
  made_up: {
    schema: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: [],
      description:
        'one of many lines: the identifiers of a made-up person or company, and the id where they were created',
      additionalProperties: true,
    },
  },
  of_the_command: { schema: { description: 'what the command prints, which is not touched' } },
  partner_answer: { status_code: 'integer' },
  persona: {
    name: 'text',
    description: 'text',
    kind: { schema: { const: 'bank' } },
    history_days: 'count',
    accounts: [{ account_type: 'text', name: 'text', currency: 'text' }],
  },
  printed_script: { shell: 'text', script: 'text' },
  readiness: { ready: 'flag' },
  recorded_fixture: { file: 'text|null', steps: 'count', left_out: 'count', variables: ['text'] },
  saved_file: { identifier: 'text|null', content_type: 'text', bytes: 'count', path: 'text|null' },
  settings: { schema: { type: 'object', additionalProperties: { type: ['string', 'null'] } } },
  stopped: { stopped: 'flag', instance: 'text' },
  target_answer: { status: 'integer' },
  tick: { days: 'count', now: 'text', drained: 'count', links: ['object'] },
  tokens: [{ id: 'text', scope: 'text', fields: ['text'], expires_at: 'text', revoked: 'flag' }],
  tour: {
    ok: 'flag',
    stopped: 'flag',
    promises: [{ promise: 'text', holds: 'flag', ms: 'count' }],
    steps: ['object'],
  },
  transformed: {
    anyOf: [
      { value: 'text' },
      [
        {
          name: 'text',
          form: 'text',
          arguments: [{ name: 'text', kind: 'text' }],
          description: 'text',
          example: 'text',
          input: 'text|null',
          output: 'text|null',
        },
      ],
    ],
  },
  trigger_result: {
    events: [{ id: 'text', kind: 'text', at: 'text', body: 'object' }],
    deliveries: [{ id: 'text' }],
    as_expected: 'flag|null',
  },
  variables: { schema: { type: 'object', additionalProperties: { type: 'string' } } },
  verdict: {
    valid: 'flag',
    reason: 'text|null',
    message: 'text',
    hint: 'text|null',
    webhook_id: 'text|null',
    signed_at: 'text|null',
  },
} as const satisfies Readonly<Record<string, Shape>>;
export type OwnOutput = keyof typeof OWN_OUTPUTS;
