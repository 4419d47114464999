/** JSON Schemas of the CLI's own outputs. Members beyond those listed here may be present. */
const text = { type: 'string' };
const flag = { type: 'boolean' };
const count = { type: 'integer', minimum: 0 };
const maybeText = { type: ['string', 'null'] };
const list = (items: object) => ({ type: 'array', items });

/** An object with all of these members, except for the optional ones. */
function record(
  properties: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
) {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

export const OWN_OUTPUTS = {
  any: { description: 'depends on what was asked for' },
  capabilities: record({
    name: text,
    version: text,
    commands: list({ type: 'object' }),
    exit_codes: list({ type: 'object' }),
    environment: list({ type: 'object' }),
    output_schemas: { type: 'object' },
    api: { type: 'object' },
  }),
  choices: list(record({ id: text }, { label: text })),
  compare_recording: record({
    scenarios: list(record({ name: text, answered: count, skipped: count })),
  }),
  comparison: record({
    ok: flag,
    counts: record({ same: count, different: count, not_comparable: count, new_differences: count }),
    exchanges: list(
      record({
        scenario: text,
        step: text,
        call: text,
        reason: maybeText,
        outcome: { enum: ['same', 'different', 'not_comparable'] },
      }),
    ),
    data: list(
      record({
        id: text,
        known: flag,
        kind: text,
        place: text,
        emulator: maybeText,
        remote: maybeText,
      }),
    ),
    unused: list(text),
  }),
  diagnosis: record({
    ok: flag,
    checks: list(record({ name: text, outcome: { enum: ['ok', 'warn', 'fail'] }, message: text })),
  }),
  console_link: record({ url: text, expires_at: text, opened: flag }),
  docs_page: record({ topic: maybeText, url: text, opened: flag }),
  error_codes: list(record({ code: text, status: count, category: text, meaning: text }, { hint: text })),
  event_kinds: list(
    record({
      kind: text,
      full_kind: text,
      summary: text,
      by_default: flag,
      status: { type: ['object', 'null'] },
      body: { type: 'object' },
    }),
  ),
  written_report: record({
    folder: text,
    files: list(text),
    failed_requests: list(record({ id: text, method: text, path: text, status: count, code: maybeText })),
  }),
  protocol_message: {
    type: 'object',
    description: 'one of many lines: a message of the Model Context Protocol',
  },
  event_line: { type: 'object', description: 'one of many lines: what happened' },
  fault_presets: list(record({ name: text, description: text, rule: { type: 'object' } })),
  fixtures_check: record({
    ok: flag,
    files: list(record({ file: text, steps: count })),
    problems: list(record({ file: text, step: maybeText, problem: text })),
  }),
  fixtures_run: record({
    files: list(
      record({
        file: text,
        name: maybeText,
        steps: list(record({ id: text, call: text, status: { type: 'integer' }, ms: { type: 'number' } })),
      }),
    ),
    outputs: { type: 'object' },
  }),
  identifiers: list(
    record({
      identifier: text,
      family: text,
      vaults: list(text),
      storage: text,
      rule: text,
      mask: text,
      example: {},
      masked: text,
      searchable: flag,
      derived: flag,
      derived_from: list(text),
    }),
  ),
  import_summary: record({ dry_run: flag }),
  initialised: record({ directory: text, files: list(text), instance: text }),
  inspection: record({
    screen: text,
    title: text,
    panes: list(
      record({
        title: text,
        more: flag,
        total: { type: ['integer', 'null'], minimum: 0 },
        data: {},
      }),
    ),
  }),
  installation: record({
    shell: text,
    files: list(
      record({ path: text, action: { enum: ['written', 'updated', 'unchanged', 'removed', 'absent'] } }),
    ),
    next: text,
  }),
  instance: record(
    {
      base_url: text,
      docs_url: text,
      instance: text,
      pid: { type: 'integer' },
      version: text,
      ephemeral: flag,
      storage: text,
      started_at: text,
    },
    {
      api_key: maybeText,
      live_api_key: maybeText,
      control_token: maybeText,
      already_running: flag,
      not_ready: text,
      notices: list(text),
    },
  ),
  log_line: { description: 'one of many lines of the log, as it was written' },
  made_up: {
    ...record({}, { id: text }),
    description:
      'one of many lines: the identifiers of a made-up person or company, and the id where they were created',
    additionalProperties: true,
  },
  of_the_command: { description: 'what the command prints, which is not touched' },
  partner_answer: record({ status_code: { type: 'integer' } }),
  persona: record({
    name: text,
    description: text,
    kind: { const: 'bank' },
    history_days: count,
    accounts: list(record({ account_type: text, name: text, currency: text })),
  }),
  printed_script: record({ shell: text, script: text }),
  readiness: record({ ready: flag }),
  recorded_fixture: record({ file: maybeText, steps: count, left_out: count, variables: list(text) }),
  saved_file: record({ identifier: maybeText, content_type: text, bytes: count, path: maybeText }),
  settings: { type: 'object', additionalProperties: maybeText },
  stopped: record({ stopped: flag, instance: text }),
  target_answer: record({ status: { type: 'integer' } }),
  tick: record({ days: count, now: text, drained: count, links: list({ type: 'object' }) }),
  tokens: list(record({ id: text, scope: text, fields: list(text), expires_at: text, revoked: flag })),
  tour: record({
    ok: flag,
    stopped: flag,
    promises: list(record({ promise: text, holds: flag, ms: count })),
    steps: list({ type: 'object' }),
  }),
  transformed: {
    anyOf: [
      record({ value: text }),
      list(
        record({
          name: text,
          form: text,
          arguments: list(record({ name: text, kind: text })),
          description: text,
          example: text,
          input: maybeText,
          output: maybeText,
        }),
      ),
    ],
  },
  trigger_result: record({
    events: list(record({ id: text, kind: text, at: text, body: { type: 'object' } })),
    deliveries: list(record({ id: text })),
    as_expected: { type: ['boolean', 'null'] },
  }),
  variables: { type: 'object', additionalProperties: text },
  verdict: record({
    valid: flag,
    reason: maybeText,
    message: text,
    hint: maybeText,
    webhook_id: maybeText,
    signed_at: maybeText,
  }),
} as const;
export type OwnOutput = keyof typeof OWN_OUTPUTS;
