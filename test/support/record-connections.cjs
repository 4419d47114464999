// Preloaded into a command: each address that it connects to goes into the file of RECORDED_CONNECTIONS.
const { appendFileSync } = require('node:fs');
const net = require('node:net');
const dns = require('node:dns');
const note = (what) => appendFileSync(process.env.RECORDED_CONNECTIONS, `${what}\n`);
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const { host = 'localhost', port, path } = typeof first === 'object' ? first : { port: first };
  note(path ?? `${host}:${port}`);
  return connect.apply(this, args);
};
const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  note(`lookup ${name}`);
  return lookup(name, ...rest);
};
