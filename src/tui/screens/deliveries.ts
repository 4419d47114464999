import type { ScreenDefinition } from './definition.ts';

export const deliveriesScreen: ScreenDefinition = {
  name: 'deliveries',
  title: () => 'deliveries',
  panes: [],
};

export const deliveryScreen: ScreenDefinition = {
  name: 'delivery',
  title: () => 'delivery',
  panes: [],
};
