import type { Client } from '../../client.ts'
import { stringsIn } from '../../pure/secret.ts'

/** Texts longer than this are no tokens, and many of them would take long. */
const maxLength = 2_000

/**
 * Finds which plain values stand behind fingerprints, among those that a world tells: its tokens, and
 * what its state holds. Finds none where the page has no cryptography, which only secure origins have.
 */
export async function plainValues(
  client: Client,
  world: string,
  fingerprints: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  if (fingerprints.size === 0 || crypto.subtle === undefined) return found
  const call = client.callerFor(world)
  const info = await call<{ seed: string; services: object }>('GET', '/info')
  const fingerprint = await fingerprinter(info.seed)
  const search = async (value: unknown) => {
    for (const text of stringsIn(value)) {
      if (found.size === fingerprints.size) return
      if (text.length > maxLength) continue
      const print = await fingerprint(text)
      if (fingerprints.has(print)) found.set(print, text)
    }
  }
  await search(info.services)
  for (const service of Object.keys(info.services)) {
    if (found.size < fingerprints.size) await search(await call('GET', `/state/${service}`))
  }
  return found
}

/** Names of environment variables by the tokens they hold, for commands that are copied. */
export async function tokenVariables(
  client: Client,
  world: string,
): Promise<ReadonlyMap<string, string>> {
  const call = client.callerFor(world)
  const [env, info] = await Promise.all([
    call<Readonly<Record<string, string>>>('GET', '/env?format=json'),
    call<{ seed: string }>('GET', '/info'),
  ])
  if (crypto.subtle === undefined) return new Map()
  const fingerprint = await fingerprinter(info.seed)
  const tokenEntries = Object.entries(env).filter(([name]) => name.endsWith('_TOKEN'))
  const found = await Promise.all(
    tokenEntries.map(async ([name, value]) => [await fingerprint(value), name] as const),
  )
  return new Map(found.reverse())
}

/** As the journal makes them: HMAC-SHA-256 with the world's seed, of which 12 hex digits are kept. */
async function fingerprinter(seed: string): Promise<(text: string) => Promise<string>> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(seed), algorithm, false, ['sign'])
  return async (text) => {
    const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)))
    const hex = [...digest.slice(0, 6)].map((byte) => byte.toString(16).padStart(2, '0'))
    return `fp:${hex.join('')}`
  }
}
