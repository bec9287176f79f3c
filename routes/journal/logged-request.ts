import type { LoggedRequest, RequestRecord } from '../http/journal-hooks/request-record.ts'
import { redactUrl } from '../http/redact-url.ts'
import { redactedPath } from './entry.ts'
import { fingerprintOf } from './fingerprint.ts'

/** Returns the parts of an answered request that log lines show. */
export function loggedRequestOf(record: RequestRecord): LoggedRequest {
  const { api, method, status, duration, world, at } = record
  return {
    api: api.name,
    method,
    path: redactUrl(redactedPath(record, fingerprintOf(world.seed))),
    status,
    ms: Math.round(duration * 1000) / 1000,
    at,
  }
}
