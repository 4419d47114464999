import type { ScreenDefinition } from './definition.ts';

export const clockScreen: ScreenDefinition = {
  name: 'clock',
  title: () => 'clock',
  panes: [],
};
