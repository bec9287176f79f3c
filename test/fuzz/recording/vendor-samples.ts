import type { Samples } from '../../support/generated/samples/sample.ts'

/** Words of the samples, and what they are in the vendor dialect. */
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

/** Returns a value in which every text is as the vendor dialect writes it. */
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

/** Samples as a caller of the vendor dialect sends them. */
export const vendorSamples = (samples: Samples): Samples => translated(samples) as Samples

/** Headers with the names that the vendor dialect has for them. */
export const vendorHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [String(translated(name)), value]),
  )
