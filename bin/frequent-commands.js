// The commands that people and scripts run most. A bundle has these alone (dist/cli-frequent.cjs), so that they load little.
'use strict';
module.exports = new Set([
  'env',
  'exec',
  'reset',
  'start',
  'status',
  'stop',
  'users create',
  'users get',
  'users kyc',
  'users list',
  'users update',
  'vault decrypt',
  'vault get',
  'vault set',
]);
