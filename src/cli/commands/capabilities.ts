import { readCapabilities, capabilitiesView } from '../capabilities/document.ts';
import { made } from '../shell/derived.ts';

export default made(
  {
    summary: 'Show what this program can do: commands, output schemas, exit codes, environment',
    examples: ['', '--json | jq -r ".commands[].id"'],
    view: capabilitiesView,
  },
  (_given, { config: { root } }) => readCapabilities(root),
);
