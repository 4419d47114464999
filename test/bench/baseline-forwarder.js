// The bare alternative to the vault proxy: sends each body on to the URL of one header and hands the answer back, over
// connections that are kept. No vault, token, policy, limit or log.
import { createServer, request as send } from 'node:http';

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const headers = { 'content-type': request.headers['content-type'], 'content-length': body.length };
    const forwarded = send(request.headers['x-target-url'], { method: 'POST', headers }, (answer) => {
      response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] });
      answer.pipe(response);
    });
    forwarded.on('error', () => response.writeHead(502).end());
    forwarded.end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.once('SIGTERM', () => process.exit(0));
