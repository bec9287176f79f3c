import { trimEndOf } from '../state/kernel/trimming.ts'
import type { Config } from './config.ts'
import { ConfigError, reasonOf } from './config-error.ts'
import { ask, originOf } from './healthcheck.ts'

/** The part of the configuration that says which server is asked, for which world and in which form. */
export type EnvironmentTarget = Pick<
  Config,
  'host' | 'port' | 'tls' | 'controlToken' | 'url' | 'world' | 'format'
>

/** The text to print, or one line that says why there is none. */
export type Printed =
  | { readonly code: 0; readonly text: string }
  | { readonly code: 1; readonly line: string }

/**
 * Asks a running server for the environment of a world (behaviour/program#commands).
 *
 * @param patience milliseconds until an answer counts as missing
 * @throws {ConfigError} for an address that is none
 */
export async function printEnvironment(
  target: EnvironmentTarget,
  patience = 10_000,
): Promise<Printed> {
  const { url = originOf(target), world, format } = target
  const place = world === undefined ? '' : `/worlds/${encodeURIComponent(world)}`
  const address = addressOf(`${trimEndOf(url, '/')}/_mock${place}/env?format=${format}`)
  const signal = AbortSignal.timeout(patience)
  try {
    const { status, text } = await ask(address, target, signal)
    if (status === 200) return { code: 0, text }
    return failed(`${address} answered ${status}: ${detailOf(text)}`)
  } catch (error) {
    const reason = signal.aborted ? ` within ${patience} ms` : `: ${reasonOf(error)}`
    return failed(`${address} did not answer${reason}`)
  }
}

function addressOf(text: string): URL {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return new URL(text)
  throw new ConfigError('--url must be the address of a server, as http://127.0.0.1:4600')
}

function failed(reason: string): Printed {
  return { code: 1, line: `no environment: ${reason}` }
}

/** What a problem says; whatever else answers is shown as far as a line goes. */
function detailOf(text: string): string {
  const [, detail] = /"detail":("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return detail === undefined ? text.slice(0, 100) : String(JSON.parse(detail))
}
