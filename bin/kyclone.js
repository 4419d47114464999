#!/usr/bin/env node
'use strict';
require('./supported-node.js');
require('./run-cli.js');
