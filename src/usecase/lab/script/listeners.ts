import { formatIp } from '../../../net/ip.ts';
import type { Host } from '../../../kernel/host.ts';
import type { Listener } from '../../../kernel/socket/listener.ts';
import { quoteWord } from './shell.ts';
import { hasIpv6 } from './sysctls.ts';

/** A small server in Node: says whose it is and whom it sees, on every port it is given (tcp/8080, udp/53). */
export const LISTENER_PROGRAM = `const [owner, ...ports] = process.argv.slice(1);
const seen = (address, port) => \`\${owner} sees \${address.includes(':') ? \`[\${address}]\` : address}:\${port}\\n\`;
for (const word of ports) {
  const [protocol, port, address = '0.0.0.0'] = word.split('/');
  const ipv6 = address.includes(':');
  if (protocol === 'udp') {
    const socket = require('dgram').createSocket({ type: ipv6 ? 'udp6' : 'udp4', ipv6Only: ipv6 });
    socket.on('message', (_, client) => socket.send(seen(client.address, client.port).padEnd(248), client.port, client.address));
    socket.bind(Number(port), address);
  } else {
    const server = require('net').createServer((client) => {
      const text = seen(client.remoteAddress, client.remotePort);
      client.on('error', () => client.destroy());
      client.end(\`HTTP/1.0 200 OK\\r\\nContent-Length: \${text.length}\\r\\n\\r\\n\${text}\`);
      client.resume();
    });
    server.listen({ port: Number(port), host: address, ipv6Only: ipv6 });
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
  return [...byOwner].map(([owner, listeners]) =>
    [owner, ...new Set(listeners.flatMap((listener) => portWords(listener, hasIpv6(host))))].map(quoteWord).join(' '),
  );
}

/** The wildcard address is one of each family that the host has. */
function portWords({ protocol, port, address }: Listener, ipv6: boolean): string[] {
  if (address !== null) return [`${protocol}/${port}/${formatIp(address)}`];
  return [`${protocol}/${port}`, ...(ipv6 ? [`${protocol}/${port}/::`] : [])];
}
