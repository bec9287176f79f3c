import type { Samples } from '../../support/generated/samples/sample.ts'

/** Translations of words in the samples into the vendor dialect. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^x-secrets-/, 'x-vault-'],
  [/^x-mesh-token$/, 'x-consul-token'],
  [/^x-sched-token$/, 'x-nomad-token'],
  [/^cloud$/, 'oci'],
  [/auth\/cloud\b/g, 'auth/oci'],
  [/\borch\b/g, 'kubernetes'],
  [/\borch_/g, 'kubernetes_'],
  [/_orch_/g, '_kubernetes_'],
  [/\bsched\//g, 'nomad/'],
  [/\bservice:v/g, 'vault:v'],
  [/\^s\\\./g, '^hvs\\.'],
]

/** Returns a copy in which every text is translated into the vendor dialect. */
export function translated(value: unknown): unknown {
  if (typeof value === 'string') {
    return words.reduce((text, [from, to]) => text.replace(from, to), value)
  }
  if (value instanceof RegExp) return new RegExp(String(translated(value.source)))
  if (Array.isArray(value)) return value.map(translated)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [translated(name), translated(member)]),
  )
}

export const vendorSamples = (samples: Samples): Samples => translated(samples) as Samples

/** Returns the headers under their names in the vendor dialect. */
export const vendorHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [String(translated(name)), value]),
  )
