/**
 * What each command prints under `--json`: an endpoint's unchanged response, or an output of the CLI itself
 * (own-outputs.ts). For several, the arguments decide which one. A derived command prints what its endpoint answers.
 */
import type { EndpointKey } from '../../contract/registry.ts';
import type { OwnOutput } from './own-outputs.ts';

type Output = EndpointKey | OwnOutput | readonly (EndpointKey | OwnOutput)[];

/** `endpoint` is that of a derived command; see derived.ts. */
interface ManifestCommand {
  readonly id: string;
  readonly endpoint?: string;
}

/** By the command's id in the manifest, for those that aren't derived. */
const OUTPUTS: Readonly<Record<string, Output>> = {
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

/** Nothing for a command that declares no output. */
export function outputsOf({ id, endpoint }: ManifestCommand): readonly string[] {
  if (endpoint === undefined) return Object.hasOwn(OUTPUTS, id) ? [OUTPUTS[id] ?? []].flat() : [];
  const ofUser = endpoint.replace('/{entity}', '/users/{fp_id}');
  const ofBusiness = endpoint.replace('/{entity}', '/businesses/{fp_bid}');
  if (ofUser === ofBusiness || id.startsWith('users:')) return [ofUser];
  return id.startsWith('businesses:') ? [ofBusiness] : [ofUser, ofBusiness];
}

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
