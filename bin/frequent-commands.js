// The most frequent commands. dist/cli-frequent.cjs contains only these, so that they load quickly.
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
