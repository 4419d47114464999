/** The CLI's own outputs; see `Shape`. */

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
