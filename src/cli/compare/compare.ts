import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { freshSeed } from '../../../state/kernel/entropy.ts'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'
import type { EmbeddedWorld, NewEmbeddedWorld } from '../../embedding/embedded-world.ts'
import { type HostProcess, signalCode } from '../child-process.ts'
import type { Config } from '../config.ts'
import { flags } from '../flags/flags.ts'
import { withoutCredentials } from '../urls.ts'
import type { ComparedApi } from './compared-api.ts'
import { comparisonText, writeReports } from './report.ts'
import { type Answer, memberOf, rootRequest, type Target } from './request.ts'
import { comparedScheduler, inspectCluster } from './scheduler.ts'
import { findDifferences } from './search.ts'
import { comparedSecrets } from './secrets.ts'

/** Milliseconds after which a request fails. */
const requestTimeout = 30_000

/** Returns a target that sends requests to a running server: the mock, or a real one. */
export function httpTarget(
  name: string,
  base: string,
  token: string,
  { tokenHeader, wrapTtlHeader }: Pick<ComparedApi, 'tokenHeader' | 'wrapTtlHeader'>,
  words: Readonly<Record<string, string>> = {},
): Target {
  const { protocol, hostname, port, pathname } = new URL(base)
  const isSecure = protocol === 'https:'
  const sendRequest = isSecure ? httpsRequest : httpRequest
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const prefix = trimEndOf(pathname, '/')
  return {
    name,
    token,
    words,
    send: ({ method, path, body, contentType, token: requestToken, wrapTtl }) =>
      new Promise<Answer>((resolve, reject) => {
        const headers: Record<string, string> = {}
        if (requestToken !== 'none' && requestToken !== '') headers[tokenHeader] = requestToken
        if (contentType !== undefined) headers['content-type'] = contentType
        if (wrapTtl !== undefined && wrapTtlHeader !== undefined) headers[wrapTtlHeader] = wrapTtl
        if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
        const clientRequest = sendRequest(
          { host, port, method, path: `${prefix}/v1/${path}`, headers, agent },
          (reply) => {
            const chunks: Buffer[] = []
            reply.on('data', (chunk: Buffer) => chunks.push(chunk))
            reply.on('error', reject)
            reply.on('end', () => {
              const text = Buffer.concat(chunks).toString()
              const { statusCode: status = 0, headers } = reply
              resolve({ status, body: parseBody(text), headers })
            })
          },
        )
        clientRequest.on('error', reject)
        clientRequest.setTimeout(requestTimeout, () =>
          clientRequest.destroy(new Error(`no answer for ${requestTimeout} ms`)),
        )
        clientRequest.end(body)
      }),
  }
}

function parseBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Creates a temporary token on each server, runs work with these tokens, and revokes them. In the
 * secrets API, revoking a token also revokes the tokens and leases that were created with it. If
 * the API needs no such tokens, runs work with the given targets.
 *
 * @throws {ConfigError} if a server does not create the token
 */
export async function withComparisonTokens<T>(
  api: ComparedApi,
  left: Target,
  right: Target,
  work: (left: Target, right: Target) => Promise<T>,
): Promise<T> {
  const { comparisonToken } = api
  if (comparisonToken === undefined) return work(left, right)
  const sessions = await Promise.all(
    [left, right].map(async (target) => {
      const answer = await comparisonToken.create(target)
      requireStatus(200, answer)
      const token = String(comparisonToken.tokenPath.reduce<unknown>(memberOf, answer.body))
      const authorizedTarget: Target = { ...target, token }
      const revoke = () =>
        target.send({ ...comparisonToken.revocation(token, answer), token: target.token })
      return { target: authorizedTarget, revoke }
    }),
  )
  const [mock, real] = sessions
  try {
    return await work(mock?.target ?? left, real?.target ?? right)
  } finally {
    // Revocation may fail if the server is gone; there is nothing left to revoke then.
    await Promise.allSettled(sessions.map(({ revoke }) => revoke()))
  }
}

/**
 * Checks the status of a reply.
 *
 * @throws {ConfigError} if the status is not the expected one
 */
function requireStatus(expected: number, { status, body }: Answer): void {
  if (status === expected) return
  const excerpt = (JSON.stringify(body) ?? '').slice(0, 200)
  throw new ConfigError(`nothing compared: the server answered ${status}: ${excerpt}`)
}

/** Part of a started server that comparisons need. */
interface ComparisonServer {
  openWorld(request?: NewEmbeddedWorld): Promise<EmbeddedWorld>
  close(): Promise<void>
}

type ComparedService = 'secrets' | 'scheduler'

/**
 * Sends equal requests to the mock and to a real server, and reports the differences
 * (behaviour/program#commands). Standard output gets each unknown difference with the fewest
 * requests that show it, the known differences, and a summary. With `--report`, writes the result
 * to files in a folder.
 *
 * @returns exit code: 1 if there are unknown differences, else 0; after SIGINT or SIGTERM, the code
 *   of the signal
 * @throws {ConfigError} if settings are missing, or the server cannot be compared
 */
export async function compare(
  config: Config,
  hostProcess: Pick<HostProcess, 'stdout' | 'stderr' | 'on'>,
  startServer: (config: Config) => Promise<ComparisonServer>,
): Promise<number> {
  const { url, service } = requireComparedServer(config)
  const seed = config.seed ?? freshSeed().slice(0, 8)
  let endSignal: NodeJS.Signals | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    hostProcess.on(signal, () => {
      endSignal = signal
    })
  }
  const logLine = (text: string) => hostProcess.stderr.write(`understudy: ${text}\n`)
  // Only this process connects to the mock, so the mock needs no TLS.
  const server = await startServer({ ...config, seed, tls: undefined })
  try {
    const api = await inspectApi(service, config, url)
    const world = await server.openWorld({
      listen: { [service]: 0 },
      options: api.setUp.options,
      ...(config.fixtures === undefined ? { fixtures: api.setUp.fixtures ?? {} } : {}),
    })
    const left = httpTarget('mock', world.apiUrl(service), api.token, api)
    const right = httpTarget('server', url, config.token ?? '', api)
    logLine(
      `${config.sequences} sequences with seed ${seed}, ${service} of ${withoutCredentials(url)}`,
    )
    const result = await withComparisonTokens(api, left, right, (mock, real) =>
      findDifferences({
        ...{ api, left: mock, right: real, seed, runs: config.sequences },
        onFinding: ({ kind }) => logLine(kind),
        isStopped: () => endSignal !== undefined,
      }),
    )
    const { before } = api
    const { dialect } = config
    const comparison = {
      service,
      dialect,
      against: withoutCredentials(url),
      seed,
      before,
      ...result,
    }
    hostProcess.stdout.write(comparisonText(comparison))
    if (config.report !== undefined) writeReports(flags.report.name, config.report, comparison)
    if (endSignal !== undefined) return signalCode(endSignal)
    return result.findings.length === 0 ? 0 : 1
  } catch (error) {
    throw error instanceof ConfigError
      ? error
      : new ConfigError(`${withoutCredentials(url)}: ${reasonOf(error)}`)
  } finally {
    await server.close()
  }
}

/**
 * Returns the service to compare, and the address of the real server.
 *
 * @throws {ConfigError} if a setting is missing or not supported, or if the server is on another
 *   machine and `--yes` is not set
 */
function requireComparedServer({ against, service = 'secrets', token, yes }: Config) {
  const flag = `--${flags.against.name}`
  if (against === undefined) throw new ConfigError(`compare needs ${flag} URL`)
  if (!/^https?:\/\//.test(against) || !URL.canParse(against)) {
    throw new ConfigError(`${flag} must be the address of a server, such as http://127.0.0.1:8200`)
  }
  if (service === 'mesh') {
    throw new ConfigError(`compare supports --${flags.service.name} secrets and scheduler`)
  }
  if (!yes && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(against).hostname)) {
    throw new ConfigError(
      `compare writes to ${withoutCredentials(against)}, which is on another machine; add --${flags.yes.name} to allow that`,
    )
  }
  if (service === 'secrets' && token === undefined) {
    throw new ConfigError(`compare needs --${flags.token.name} TOKEN, a root token of that server`)
  }
  return { url: against, service }
}

/**
 * Returns the API with the settings that fit the real server. Throws a `ConfigError` if a scheduler
 * rejects the token.
 */
async function inspectApi(service: ComparedService, { dialect, token = '' }: Config, url: string) {
  if (service === 'secrets') return comparedSecrets(dialect)
  const target = httpTarget('server', url, token, comparedScheduler({ dialect }))
  requireStatus(200, await target.send({ ...rootRequest('GET', 'namespaces'), token }))
  return comparedScheduler(await inspectCluster(target, dialect))
}
