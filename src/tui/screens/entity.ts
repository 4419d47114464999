import type { ScreenDefinition } from './definition.ts';

export const entityScreen: ScreenDefinition = {
  name: 'entity',
  title: () => 'entity',
  panes: [],
};
