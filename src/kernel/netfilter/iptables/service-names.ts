/** Names of ports that people write in rules, of /etc/services. */
// biome-ignore format: a table reads better in rows
const SERVICES: ReadonlyMap<string, number> = new Map([
  ['echo', 7], ['discard', 9], ['ftp-data', 20], ['ftp', 21], ['ssh', 22], ['telnet', 23], ['smtp', 25], ['time', 37],
  ['domain', 53], ['bootps', 67], ['bootpc', 68], ['tftp', 69], ['gopher', 70], ['finger', 79], ['http', 80], ['www', 80],
  ['kerberos', 88], ['pop3', 110], ['pop-3', 110], ['sunrpc', 111], ['portmapper', 111], ['auth', 113], ['ident', 113],
  ['nntp', 119], ['ntp', 123], ['epmap', 135], ['netbios-ns', 137], ['netbios-dgm', 138], ['netbios-ssn', 139], ['imap2', 143],
  ['imap', 143], ['snmp', 161], ['snmp-trap', 162], ['snmptrap', 162], ['xdmcp', 177], ['bgp', 179], ['irc', 194], ['ldap', 389],
  ['https', 443], ['microsoft-ds', 445], ['kpasswd', 464], ['submissions', 465], ['isakmp', 500], ['exec', 512], ['login', 513],
  ['who', 513], ['shell', 514], ['syslog', 514], ['printer', 515], ['ntalk', 518], ['route', 520], ['nfs', 2049], ['submission', 587],
  ['ipp', 631], ['ldaps', 636], ['rsync', 873], ['ftps', 990], ['imaps', 993], ['pop3s', 995], ['socks', 1080], ['proofd', 1093],
  ['openvpn', 1194], ['ms-sql-s', 1433], ['ms-sql-m', 1434], ['radius', 1812], ['radius-acct', 1813], ['cvspserver', 2401],
  ['mysql', 3306], ['ms-wbt-server', 3389], ['svn', 3690], ['epmd', 4369], ['sip', 5060], ['sip-tls', 5061], ['xmpp-client', 5222],
  ['xmpp-server', 5269], ['mdns', 5353], ['postgresql', 5432], ['amqps', 5671], ['amqp', 5672], ['x11', 6000], ['redis', 6379],
  ['ircd', 6667], ['ircs-u', 6697], ['http-alt', 8080], ['webcache', 8080], ['puppet', 8140], ['git', 9418],
]);

/** Port of a service name; undefined for a name that is not known. */
export function portOfService(name: string): number | undefined {
  return SERVICES.get(name);
}
