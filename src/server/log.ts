import type { IncomingHttpHeaders } from 'node:http'
import { redactedMark, redactUrl } from '../../routes/http/redact-url.ts'
import type { Config } from '../cli/config.ts'
import { services } from '../services.ts'

/** Destination of log lines: a file, a terminal, or an array in tests. */
export interface LogStream {
  write(line: string): void
}

/** Request data that a log line may contain. */
interface LoggedRequest {
  readonly method: string
  readonly url: string
  readonly host: string
  readonly ip: string
  readonly headers: IncomingHttpHeaders
}

/** Settings for Fastify's `logger` option. */
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

/** Headers that carry secrets, in the neutral and the vendors' spelling, in lower case. */
const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  // The address of the previous page may contain secrets.
  'referer',
  ...services.flatMap(({ tokenHeaders = [] }) => tokenHeaders),
])

/**
 * Returns Fastify's logger options (behaviour/program#command, `--log-level` and `--log-format`).
 * Lines go to standard error, because standard output only carries the ready line. Tokens are
 * redacted, and bodies are never logged. Headers are logged only at the levels debug and trace. The
 * result `false` turns the log off at no cost per request.
 *
 * @param stream destination instead of standard error
 */
export async function logOptions(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  stream?: LogStream,
): Promise<LogOptions | false> {
  if (logLevel === 'silent') return false
  const logsHeaders = logLevel === 'debug' || logLevel === 'trace'
  return {
    level: logLevel,
    // Secrets are hidden by serializers and not by pino's redaction, because serializers run only
    // for lines that contain their key.
    serializers: {
      req: (request) => ({
        method: request.method,
        url: redactUrl(request.url),
        host: request.host,
        remoteAddress: request.ip,
        ...(logsHeaders ? { headers: hideTokens(request.headers) } : {}),
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

/** Opens a synchronous stream, so that the last lines before an exit are not lost. */
async function openLogStream(format: Config['logFormat'], stream?: LogStream): Promise<LogStream> {
  const target = stream ?? (await import('pino')).destination(standardError)
  if (format === 'json') return target
  // The module is loaded only for this format, which a start in a container never uses.
  const { prettyFactory } = await import('pino-pretty')
  const formatLine = prettyFactory({
    colorize: stream === undefined && process.stderr.isTTY === true && !process.env['NO_COLOR'],
    // The text of a message about a request already contains the members from `api` on.
    ignore: 'pid,hostname,api,method,path,status,ms,world,because,rule',
    translateTime: 'SYS:HH:MM:ss.l',
  })
  return { write: (line) => target.write(formatLine(line)) }
}
