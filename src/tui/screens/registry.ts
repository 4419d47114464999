/** All screens, by name. A noun whose screen and actions fit in one file has it in nouns/. */
import type { ScreenName } from '../state/model.ts';
import type { ScreenDefinition } from './definition.ts';
import { accessScreen } from './access.ts';
import { banksScreen, bankScreen } from './banks.ts';
import { clockScreen } from '../nouns/clock.ts';
import { comparisonScreen } from './comparison.ts';
import { deliveriesScreen, deliveryScreen } from './deliveries.ts';
import { entityScreen } from './entity.ts';
import { eventsScreen, eventScreen } from '../nouns/events.ts';
import { usersScreen, businessesScreen, foundScreen, reviewsScreen } from './people.ts';
import { keysScreen } from '../nouns/keys.ts';
import { outcomesScreen, playbooksScreen } from '../nouns/playbooks.ts';
import { webhooksScreen } from './webhooks.ts';
import { requestsScreen, requestScreen, proxyScreen } from './requests.ts';
import { runScreen } from './run.ts';
import { snapshotsScreen } from '../nouns/snapshots.ts';

export const screens: Readonly<Record<ScreenName, ScreenDefinition>> = {
  users: usersScreen,
  businesses: businessesScreen,
  found: foundScreen,
  reviews: reviewsScreen,
  entity: entityScreen,
  banks: banksScreen,
  bank: bankScreen,
  events: eventsScreen,
  event: eventScreen,
  deliveries: deliveriesScreen,
  delivery: deliveryScreen,
  requests: requestsScreen,
  request: requestScreen,
  proxy: proxyScreen,
  clock: clockScreen,
  snapshots: snapshotsScreen,
  webhooks: webhooksScreen,
  outcomes: outcomesScreen,
  playbooks: playbooksScreen,
  keys: keysScreen,
  access: accessScreen,
  comparison: comparisonScreen,
  run: runScreen,
};
