import type { LogLine } from '../http/blocking/log-stream.ts'
import type { LoggedRequest } from '../http/journal-hooks/request-record.ts'

/** Returns the line that the agent writes about an answered request (behaviour/mesh#agent). */
export function requestLogLine({ method, path, status, ms }: LoggedRequest): LogLine {
  const isRefused = status !== null && status >= 400
  return {
    level: isRefused ? 'error' : 'debug',
    logger: 'agent.http',
    message: isRefused ? 'Request error' : 'Request finished',
    details: { method, url: path, ...(isRefused && { status }), latency: `${ms}ms` },
  }
}
