import { formatIp } from '../../net/ip.ts';
import type { DnsRecord } from './records.ts';

/** What a record says, without its type: "10.96.0.20", "shop.example.com", "port 80 of web-0.web.shop.svc.cluster.local". */
export function recordText(record: DnsRecord): string {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return formatIp(record.address);
    case 'CNAME':
    case 'PTR':
      return record.target;
    case 'SRV':
      return `port ${record.port} of ${record.target}`;
    case 'TXT':
      return record.text;
  }
}
