import { clockState, clockView } from '../clock/clock.ts';
import { made } from '../shell/derived.ts';

export default {
  'clock:get': made(
    {
      summary: 'Show what time it is in the instance',
      aliases: ['clock:show'],
      examples: ['clock get', 'clock get --json'],
      view: clockView,
    },
    async (_, { client }) => await clockState(client),
  ),
};
