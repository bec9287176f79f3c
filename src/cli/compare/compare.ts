import { freshSeed } from '../../../state/kernel/entropy.ts'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { ConfigError, reasonOf } from '../../config-error.ts'
import type { EmbeddedWorld, NewEmbeddedWorld } from '../../embedding/embedded-world.ts'
import { type HostProcess, signalCode } from '../child-process.ts'
import type { Config } from '../config.ts'
import { flags } from '../flags/flags.ts'
import { requireStatus, withComparisonTokens } from './comparison-tokens.ts'
import { httpTarget } from './http-target.ts'
import { comparisonText, writeReports } from './report.ts'
import { rootRequest } from './request.ts'
import { comparedScheduler, inspectCluster } from './scheduler.ts'
import { findDifferences } from './search.ts'
import { comparedSecrets } from './secrets.ts'

/** Part of a started server that comparisons need. */
interface ComparisonServer {
  openWorld(request?: NewEmbeddedWorld): Promise<EmbeddedWorld>
  close(): Promise<void>
}

type ComparedService = 'secrets' | 'scheduler'

/**
 * Sends equal requests to the mock and to a real server, and reports the differences
 * (behaviour/program#commands). Standard output gets each difference with the fewest requests that
 * show it.
 *
 * @returns exit code: 1 if there are unknown differences
 * @throws {ConfigError} if settings are missing, or the server cannot be compared
 */
export async function compare(
  config: Config,
  hostProcess: Pick<HostProcess, 'stdout' | 'stderr' | 'on'>,
  startServer: (config: Config) => Promise<ComparisonServer>,
): Promise<number> {
  const { url, service } = requireSubject(config)
  const seed = config.seed ?? freshSeed().slice(0, 8)
  let endSignal: NodeJS.Signals | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    hostProcess.on(signal, () => {
      endSignal = signal
    })
  }
  const logLine = (text: string) => hostProcess.stderr.write(`understudy: ${text}\n`)
  // Only this process connects to the mock, so it needs no TLS.
  const server = await startServer({ ...config, seed, tls: undefined })
  try {
    const api = await inspectApi(service, config, url)
    const world = await server.openWorld({
      listen: { [service]: 0 },
      options: api.setUp.options,
      ...(config.fixtures === undefined ? { fixtures: api.setUp.fixtures ?? {} } : {}),
    })
    const left = httpTarget('mock', world.apiUrl(service), api.token, api.tokenHeader)
    const right = httpTarget('server', url, config.token ?? '', api.tokenHeader)
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

/** Returns the settings of the comparison, or throws if one is missing. */
function requireSubject({ against, service = 'secrets', token, yes }: Config): {
  readonly url: string
  readonly service: ComparedService
} {
  const flag = `--${flags.against.name}`
  if (against === undefined) throw new ConfigError(`compare needs ${flag} URL`)
  if (!/^https?:\/\//.test(against) || !URL.canParse(against)) {
    throw new ConfigError(`${flag} must be the address of a server, as http://127.0.0.1:8200`)
  }
  if (service === 'mesh') {
    throw new ConfigError(`compare supports --${flags.service.name} secrets and scheduler`)
  }
  if (!yes && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(against).hostname)) {
    throw new ConfigError(
      `compare writes to ${withoutCredentials(against)}, which is not this machine; --${flags.yes.name} allows that`,
    )
  }
  if (service === 'secrets' && token === undefined) {
    throw new ConfigError(`compare needs --${flags.token.name} TOKEN, a root token of that server`)
  }
  return { url: against, service }
}

/** Returns the API with the settings that fit the real server. */
async function inspectApi(service: ComparedService, { dialect, token = '' }: Config, url: string) {
  if (service === 'secrets') return comparedSecrets(dialect)
  const { tokenHeader } = comparedScheduler({ dialect })
  const target = httpTarget('server', url, token, tokenHeader)
  requireStatus(200, await target.send({ ...rootRequest('GET', 'namespaces'), token }))
  return comparedScheduler(await inspectCluster(target, dialect))
}

function withoutCredentials(url: string): string {
  const address = new URL(url)
  address.username = ''
  address.password = ''
  return trimEndOf(address.href, '/')
}
