import type { IngressBackend } from '../../kubernetes/model/ingress.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';
import { MAX_PORT } from './common.ts';
import type { Reader } from './reader.ts';
import type { Strictness } from './service-spec.ts';

/**
 * An IngressBackend: a service with a port, or a resource. The short form also takes "NAME:PORT", objects also what v1beta1 had
 * (serviceName, servicePort). Undefined where there is none, and for a wrong one, which is told.
 */
export function readIngressBackend(
  reader: Reader,
  container: Mapping,
  key: string,
  strictness: Strictness,
): IngressBackend | undefined {
  const value = valueAt(container, key);
  if (value === undefined) return undefined;
  if (strictness === 'strict' && typeof value === 'string') return parseBackend(reader, container, key, value);
  const backend = reader.mapping(container, key);
  if (backend === undefined) return undefined;
  if (strictness === 'strict') reader.allowOnly(backend, 'a backend of an ingress', ['service', 'resource']);
  if (strictness === 'lenient' && valueAt(backend, 'serviceName') !== undefined) return readOldBackend(reader, backend);
  const service = reader.mapping(backend, 'service');
  const isService = valueAt(backend, 'service') !== undefined;
  if (isService === (valueAt(backend, 'resource') !== undefined)) {
    const message = 'A backend of an ingress is either a "service" or a "resource"';
    reader.problems.error(isService ? 'wrong-key' : 'missing-key', message, reader.position(backend));
    return undefined;
  }
  if (isService && service === undefined) return undefined;
  return service === undefined ? readResource(reader, backend) : readService(reader, service, strictness);
}

function parseBackend(reader: Reader, container: Mapping, key: string, text: string): IngressBackend | undefined {
  const [, service, port] = /^([^:\s/]+):([^:\s/]+)$/.exec(text) ?? [];
  if (service === undefined || port === undefined) return reader.wrong(container, key, 'SERVICE:PORT', 'Such as web:80');
  if (!/^\d+$/.test(port)) return { kind: 'service', service, port };
  const number = Number(port);
  if (number < 1 || number > MAX_PORT) return reader.wrong(container, key, `SERVICE:PORT with a port from 1 to ${MAX_PORT}`);
  return { kind: 'service', service, port: number };
}

function readService(reader: Reader, service: Mapping, strictness: Strictness): IngressBackend | undefined {
  if (strictness === 'strict') reader.allowOnly(service, 'the service of a backend', ['name', 'port']);
  const name = reader.requiredName(service, 'name', 'The service of a backend');
  const port = reader.mapping(service, 'port');
  if (port !== undefined && strictness === 'strict') reader.allowOnly(port, 'the port of a backend', ['number', 'name']);
  const number = port === undefined ? undefined : reader.integer(port, 'number', 0, MAX_PORT);
  const named = port === undefined ? undefined : reader.string(port, 'name');
  const value = named === undefined || named === '' ? (number === 0 ? undefined : number) : named;
  if (value === undefined || (number !== undefined && number !== 0 && value === named)) {
    if (valueAt(service, 'port') === undefined || port !== undefined) {
      const message = 'The service of a backend needs a "port" with either a "number" or a "name"';
      reader.problems.error('missing-key', message, reader.position(service), 'Such as port: { number: 80 }');
    }
    return undefined;
  }
  return name === undefined ? undefined : { kind: 'service', service: name, port: value };
}

function readResource(reader: Reader, backend: Mapping): IngressBackend | undefined {
  const resource = reader.mapping(backend, 'resource');
  if (resource === undefined) return undefined;
  const kind = reader.requiredName(resource, 'kind', 'The resource of a backend');
  const name = reader.requiredName(resource, 'name', 'The resource of a backend');
  return kind === undefined || name === undefined ? undefined : { kind: 'resource', resourceKind: kind, name };
}

/** networking.k8s.io/v1beta1, served until 1.21: servicePort is a number or a name. */
function readOldBackend(reader: Reader, backend: Mapping): IngressBackend | undefined {
  const service = reader.requiredName(backend, 'serviceName', 'A backend');
  const value = valueAt(backend, 'servicePort');
  const port = typeof value === 'string' && !/^\d+$/.test(value) ? value : Number(value);
  if (service === undefined) return undefined;
  const isPort = typeof port === 'string' ? port !== '' : Number.isInteger(port) && port >= 1 && port <= MAX_PORT;
  if (!isPort) return reader.wrong(backend, 'servicePort', 'the number or the name of a port');
  return { kind: 'service', service, port };
}
