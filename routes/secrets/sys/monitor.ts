import { text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import { watchSealing } from '../../../state/secrets/seal/seal.ts'
import {
  type LogLevel,
  type LogLine,
  logStream,
  parseLogLevel,
} from '../../http/blocking/log-stream.ts'
import type { LoggedRequest } from '../../http/journal-hooks/request-record.ts'
import { textField } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#operations-of-the-node', rootOnly: true })

const formats: readonly string[] = ['standard', 'json']

/**
 * Parses the minimum level of the log lines to send; undefined for `off`. An empty name means
 * `info`. Throws a refusal for an unknown level.
 */
function readLevel(name: string): LogLevel | undefined {
  const trimmed = name.trim()
  if (trimmed.toLowerCase() === 'off') return undefined
  const level = parseLogLevel(trimmed || 'info')
  if (level === undefined) throw refuse('log-level-unknown')
  return level
}

/**
 * Returns the log line about an answered request. The status of the answer determines the level of
 * the line.
 */
function requestLogLine({ method, path, status, ms }: LoggedRequest): LogLine {
  const code = status ?? 0
  const details = { duration: `${ms}ms`, status_code: code, request_path: path }
  return {
    level: code >= 500 ? 'error' : code >= 400 ? 'info' : 'debug',
    logger: 'core',
    message: 'completed_request',
    details: { ...details, request_method: method },
  }
}

/**
 * The last text of a stream that ends because the node is sealed. As in the reference, no newline
 * follows.
 */
const sealedText = 'core received sealed state change, ending monitor session'

export const monitorOperations: readonly SecretsOperation[] = [
  operation.read('monitorNode', 'monitor', {
    summary: 'Follow the log of the node, which has a line for each request to this API.',
    query: {
      log_level: textField('trace, debug, info (the default), warn, error or off'),
      log_format: withDefault(described(text, 'standard or json'), 'standard'),
    },
    mediaType: 'text/plain',
    reply: { 200: text },
    run({ fields: { log_level, log_format } }) {
      const level = readLevel(log_level)
      if (!formats.includes(log_format.toLowerCase())) throw refuse('log-format-unknown')
      const isJson = log_format.toLowerCase() === 'json'
      return {
        kind: 'stream',
        status: 200,
        contentType: 'text/plain; charset=utf-8',
        open: (response, record) =>
          logStream({
            response,
            record,
            level,
            isJson,
            lineOf: requestLogLine,
            ending: { text: sealedText, watch: (end) => watchSealing(record.world, end) },
          }),
      }
    },
  }),
]
