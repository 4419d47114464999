import type { ScreenDefinition } from './definition.ts';

export const eventsScreen: ScreenDefinition = {
  name: 'events',
  title: () => 'events',
  panes: [],
};

export const eventScreen: ScreenDefinition = {
  name: 'event',
  title: () => 'event',
  panes: [],
};
