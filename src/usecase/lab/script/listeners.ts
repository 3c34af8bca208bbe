import { formatIp } from '../../../net/ip.ts';
import type { Host } from '../../../kernel/host.ts';
import type { Listener } from '../../../kernel/socket/listener.ts';
import { quoteWord } from './shell.ts';

/** A small server in Node: says whose it is and whom it sees, on every port it is given (tcp/8080, udp/53). */
export const LISTENER_PROGRAM = `const [owner, ...ports] = process.argv.slice(1);
const seen = (address, port) => \`\${owner} sees \${address}:\${port}\\n\`;
for (const word of ports) {
  const [protocol, port, address = '0.0.0.0'] = word.split('/');
  if (protocol === 'udp') {
    const socket = require('dgram').createSocket('udp4');
    socket.on('message', (_, client) => socket.send(seen(client.address, client.port).padEnd(248), client.port, client.address));
    socket.bind(Number(port), address);
  } else {
    const server = require('net').createServer((client) => {
      const text = seen(client.remoteAddress, client.remotePort);
      client.on('error', () => client.destroy());
      client.end(\`HTTP/1.0 200 OK\\r\\nContent-Length: \${text.length}\\r\\n\\r\\n\${text}\`);
      client.resume();
    });
    server.listen(Number(port), address);
  }
}
`;

/** Words behind the program: for each owner of listening sockets on a host its name and its ports. */
export function listenerArguments(host: Host): readonly string[] {
  const byOwner = new Map<string, Listener[]>();
  for (const listener of host.listeners) {
    if (listener.protocol === 'sctp') continue;
    byOwner.set(listener.owner, [...(byOwner.get(listener.owner) ?? []), listener]);
  }
  return [...byOwner].map(([owner, listeners]) => [owner, ...new Set(listeners.map(portWord))].map(quoteWord).join(' '));
}

function portWord({ protocol, port, address }: Listener): string {
  return `${protocol}/${port}${address === null ? '' : `/${formatIp(address)}`}`;
}
