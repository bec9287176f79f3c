import type { IncomingHttpHeaders } from 'node:http'
import { redactedMark, redactUrl } from '../../routes/http/redact-url.ts'
import type { Config } from '../cli/config.ts'

/** Where log lines go: a file, a terminal, a test's array. */
export interface LogStream {
  write(line: string): void
}

/** What a log line may say of a request. */
interface LoggedRequest {
  readonly method: string
  readonly url: string
  readonly host: string
  readonly ip: string
  readonly headers: IncomingHttpHeaders
}

/** The settings that Fastify's `logger` option takes. */
export interface LogOptions {
  readonly level: string
  readonly serializers: {
    req(request: LoggedRequest): Record<string, unknown>
    res(reply: { readonly statusCode?: number }): Record<string, unknown>
    headers(headers: unknown): unknown
    body(): string
  }
  readonly stream: LogStream
}

const standardError = 2

/** Headers that carry tokens, in the spec's and the vendors' spelling, in lower case. */
const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  // The address of the page before, with all that is in it.
  'referer',
  'x-secrets-token',
  'x-vault-token',
  'x-mesh-token',
  'x-consul-token',
  'x-sched-token',
  'x-scheduler-token',
  'x-nomad-token',
])

/**
 * Fastify's logger options (behaviour/program#command, `--log-level` and `--log-format`). Lines go to
 * standard error, since standard output carries the ready line alone. Tokens are hidden and bodies
 * never shown, under whatever key a line carries them; headers come with a request only at the
 * levels debug and trace. Silence is `false`, which costs nothing per request.
 *
 * @param stream instead of standard error
 */
export async function logOptions(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  stream?: LogStream,
): Promise<LogOptions | false> {
  if (logLevel === 'silent') return false
  const withHeaders = logLevel === 'debug' || logLevel === 'trace'
  return {
    level: logLevel,
    // Serializers instead of pino's redaction: they run only for lines that have the key.
    serializers: {
      req: (request) => ({
        method: request.method,
        url: redactUrl(request.url),
        host: request.host,
        remoteAddress: request.ip,
        ...(withHeaders ? { headers: hideTokens(request.headers) } : {}),
      }),
      res: (reply) => ({ statusCode: reply.statusCode }),
      headers: hideTokens,
      body: () => redactedMark,
    },
    stream: await openLogStream(logFormat, stream),
  }
}

function hideTokens(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return headers
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeaders.has(name.toLowerCase()) ? redactedMark : value,
    ]),
  )
}

/** Synchronous, so that the lines before an exit are not lost. */
async function openLogStream(format: Config['logFormat'], stream?: LogStream): Promise<LogStream> {
  const target = stream ?? (await import('pino')).destination(standardError)
  if (format === 'json') return target
  // Loaded only when chosen: a start in a container never needs it.
  const { prettyFactory } = await import('pino-pretty')
  const formatLine = prettyFactory({
    colorize: stream === undefined && process.stderr.isTTY === true && !process.env['NO_COLOR'],
    // Lines about requests say these themselves.
    ignore: 'pid,hostname,api,method,path,status,ms,world,because,rule',
    translateTime: 'SYS:HH:MM:ss.l',
  })
  return { write: (line) => target.write(formatLine(line)) }
}
