import { type Environment, writeEnvironment } from '../../routes/control/worlds/environment.ts'
import { trimEndOf } from '../../state/kernel/trimming.ts'
import {
  documentedNames,
  hiddenNames,
  type ProcessEnvironment,
  proxyExceptions,
} from '../client-environment.ts'
import { ConfigError, reasonOf } from '../config-error.ts'
import type { Config } from './config.ts'
import { httpGet, originOf } from './healthcheck.ts'

/**
 * Settings that `printEnvironment` needs: access to the server, the world and the output format.
 */
export type EnvironmentTarget = Pick<
  Config,
  'host' | 'port' | 'tls' | 'controlToken' | 'url' | 'world' | 'format'
>

/** Text to print, or one line with the reason for the failure. */
export type EnvironmentResult =
  | { readonly code: 0; readonly text: string }
  | { readonly code: 1; readonly line: string }

/**
 * Asks a running server for the environment of a world (behaviour/program#commands). The result
 * also unsets every other variable with which a client might find another server.
 *
 * @param callerEnvironment environment of the process that runs the command
 * @param timeoutMs milliseconds after which the request fails
 * @throws {ConfigError} if the address is not a URL
 */
export async function printEnvironment(
  target: EnvironmentTarget,
  callerEnvironment: ProcessEnvironment,
  timeoutMs = 10_000,
): Promise<EnvironmentResult> {
  const { url = originOf(target), world, format } = target
  const worldPath = world === undefined ? '' : `/worlds/${encodeURIComponent(world)}`
  const address = parseServerUrl(`${trimEndOf(url, '/')}/_mock${worldPath}/env?format=json`)
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const { status, text } = await httpGet(address, target, signal)
    if (status === 200) return { code: 0, text: environmentText(text, format, callerEnvironment) }
    return failure(`${address} answered ${status}: ${detailOf(text)}`)
  } catch (error) {
    const reason = signal.aborted ? ` within ${timeoutMs} ms` : `: ${reasonOf(error)}`
    return failure(`${address} did not answer${reason}`)
  }
}

function environmentText(
  reply: string,
  format: EnvironmentTarget['format'],
  callerEnvironment: ProcessEnvironment,
): string {
  const environment: Environment = JSON.parse(reply)
  const unset = new Set([
    ...documentedNames(environment),
    ...hiddenNames(callerEnvironment, environment),
  ])
  const variables = { ...environment, ...proxyExceptions(callerEnvironment, environment) }
  return writeEnvironment(variables, format, [...unset].sort())
}

function parseServerUrl(text: string): URL {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return new URL(text)
  throw new ConfigError('--url must be the address of a server, such as http://127.0.0.1:4600')
}

function failure(reason: string): EnvironmentResult {
  return { code: 1, line: `no environment: ${reason}` }
}

/** Returns the detail of a problem document, or the first 100 characters of any other reply. */
function detailOf(text: string): string {
  const [, detail] = /"detail":("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return detail === undefined
    ? text.slice(0, 100).replaceAll(/\s+/g, ' ').trim()
    : String(JSON.parse(detail))
}
