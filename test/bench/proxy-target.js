// What proxied requests go to while they are measured: takes any body and answers a few bytes of JSON.
import { createServer } from 'node:http';

const ANSWER = '{"taken":true}';
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    response.end(ANSWER);
  });
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.once('SIGTERM', () => process.exit(0));
