import { isIPv4 } from 'node:net'
import type { Refusal } from '../../../../state/kernel/refusal.ts'
import { type Deferred, defer } from '../../../../state/kernel/worlds/deferred.ts'
import type { KeySource } from '../../../../state/secrets/jwt/config.ts'
import type { KeySet } from '../../../../state/secrets/logins/jws.ts'
import { sendAndRead } from '../../replication/http-exchange.ts'

/** Longest wait for an answer, in milliseconds of real time; the exchange bounds its size. */
const timeout = 10_000

/**
 * Fetches keys outside the world, whose other requests are served meanwhile, and goes on with them
 * (behaviour/secrets#jwt-keys). What goes wrong is refused in the words of the caller.
 */
export function afterFetch<T>(
  source: KeySource,
  refused: (why: string) => Refusal,
  next: (keys: KeySet) => T,
): Deferred<T> {
  return defer(async () => {
    try {
      return await fetchKeys(source)
    } catch (error) {
      throw refused(error instanceof Error ? error.message : String(error))
    }
  }, next)
}

async function fetchKeys(source: KeySource): Promise<KeySet> {
  const { url, kind } = source
  const set = await read(kind === 'keys' ? url : await keySetUrl(source), source)
  const keys = membersOf(set)['keys']
  if (!Array.isArray(keys)) throw new Error('the answer is no key set')
  return { keys: keys.filter((key) => typeof key === 'object' && key !== null) }
}

/** Where an issuer says that its keys are. */
async function keySetUrl(source: KeySource): Promise<string> {
  const wellKnown = `${source.url.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { issuer, jwks_uri } = membersOf(await read(wellKnown, source))
  if (issuer !== source.url) {
    throw new Error(
      `issuer did not match the returned issuer, expected ${JSON.stringify(source.url)} got ${JSON.stringify(issuer)}`,
    )
  }
  return typeof jwks_uri === 'string' ? jwks_uri : ''
}

async function read(url: string, { ca, hostScope: reach }: KeySource): Promise<unknown> {
  if (reach === 'loopback' && !isLoopback(url)) throw new Error('not allowed')
  const { status, text } = await sendAndRead({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    ca: ca === '' ? [] : [ca],
    timeout,
  })
  if (status !== 200) throw new Error(`status ${status}`)
  return JSON.parse(text)
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Tells whether a URL is one of this machine, by its host as it is written. */
function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const host = new URL(url).hostname
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'))
}
