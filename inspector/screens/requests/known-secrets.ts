import { type SecretValue, secretCandidates } from '../../pure/secret.ts'
import type { WorldSource } from '../../source/source.ts'

/** Maximum length of a candidate. Longer texts are not tokens, and hashing many of them is slow. */
const maxLength = 2_000

/**
 * Finds the plain values behind fingerprints. Searches the world's tokens and all values of the
 * world's state, including values in strings that hold JSON. Finds nothing if the world's seed is
 * unknown, or on insecure origins, where browsers offer no cryptography.
 */
export async function secretsByFingerprint(
  world: WorldSource,
  fingerprints: ReadonlySet<string>,
): Promise<ReadonlyMap<string, SecretValue>> {
  const found = new Map<string, SecretValue>()
  if (fingerprints.size === 0 || crypto.subtle === undefined) return found
  const info = await world.info()
  if (info.seed === undefined) return found
  const fingerprint = await fingerprinter(info.seed)
  const search = async (value: unknown) => {
    for (const candidate of secretCandidates(value)) {
      if (found.size === fingerprints.size) return
      const text = String(candidate)
      if (text.length > maxLength) continue
      const candidateFingerprint = await fingerprint(text)
      if (fingerprints.has(candidateFingerprint) && !found.has(candidateFingerprint))
        found.set(candidateFingerprint, candidate)
    }
  }
  await search(info.services)
  for (const service of Object.keys(info.services)) {
    if (found.size < fingerprints.size) await search(await world.state(service))
  }
  return found
}

/**
 * Returns the name of each environment variable that holds a token, by the token's fingerprint.
 * Commands that the page offers for copying contain these names instead of tokens. The result is
 * empty if fingerprints cannot be computed.
 */
export async function tokenVariables(world: WorldSource): Promise<ReadonlyMap<string, string>> {
  const [env, { seed }] = await Promise.all([world.variables(), world.info()])
  if (crypto.subtle === undefined || seed === undefined) return new Map()
  const fingerprint = await fingerprinter(seed)
  const tokenEntries = Object.entries(env).filter(([name]) => name.endsWith('_TOKEN'))
  const found = await Promise.all(
    tokenEntries.map(async ([name, value]) => [await fingerprint(value), name] as const),
  )
  return new Map(found.reverse())
}

/**
 * Returns the journal's fingerprint function: HMAC-SHA-256 with the world's seed, cut to 12 hex
 * digits.
 */
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
