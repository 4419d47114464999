/** All screens, by name. */
import type { ScreenName } from '../state/model.ts';
import type { ScreenDefinition } from './definition.ts';
import { accessScreen } from '../../nouns/access-log/screen.ts';
import { banksScreen, bankScreen } from '../../nouns/bank-links/screen/links.ts';
import { clockScreen } from '../../nouns/clock/screen.ts';
import { comparisonScreen } from '../../nouns/comparisons/screen.ts';
import { deliveriesScreen, deliveryScreen } from '../../nouns/webhooks/screen/deliveries.ts';
import { entityScreen } from '../../nouns/entities/screen/entity.ts';
import { eventsScreen, eventScreen } from '../../nouns/webhooks/screen/events.ts';
import {
  usersScreen,
  businessesScreen,
  foundScreen,
  reviewsScreen,
} from '../../nouns/entities/screen/people.ts';
import { keysScreen } from '../../nouns/api-keys/screen.ts';
import { outcomesScreen } from '../../nouns/outcomes/screen.ts';
import { playbooksScreen } from '../../nouns/playbooks/screen.ts';
import { webhooksScreen } from '../../nouns/webhooks/screen/endpoints.ts';
import { requestsScreen, requestScreen, proxyScreen } from '../../nouns/requests/screen.ts';
import { runScreen } from '../../nouns/onboardings/screen.ts';
import { snapshotsScreen } from '../../nouns/snapshots/screen.ts';

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
