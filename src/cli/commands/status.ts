import { boolean } from '@oclif/core/flags';
import { made } from '../shell/derived.ts';
import {
  summarise,
  withoutSecrets,
  type InstanceSummary,
  type OpenSummary,
  secretSummaryView,
  summaryView,
} from '../instance/view.ts';

export default made(
  {
    summary: 'Show the running daemon; exit code 5 when there is none',
    examples: ['', '--json | jq -r .base_url', '--show-secrets --json | jq -r .control_token'],
    flags: { 'show-secrets': boolean({ summary: 'include the API keys and the control token' }) },
    view: (shown: OpenSummary, style) =>
      'api_key' in shown ? secretSummaryView(shown as InstanceSummary, style) : summaryView(shown, style),
  },
  async ({ flags }, { access }): Promise<OpenSummary> => {
    const summary = await summarise(await access());
    return flags['show-secrets'] ? summary : withoutSecrets(summary);
  },
);
