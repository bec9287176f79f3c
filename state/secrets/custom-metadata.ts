import { quoteGo } from '../kernel/go-text.ts'
import { compareBytewise } from '../kernel/json.ts'
import { setMember } from '../kernel/json-value.ts'
import { raised } from './refusals.ts'

/** Texts that describe a secret, whatever its version. */
export type CustomMetadata = Readonly<Record<string, string>>

const maxKeys = 64
const maxKeyBytes = 128
const maxValueBytes = 512

/** What the reference calls printable: no space but the plain one, no control character. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

/**
 * Refuses custom metadata beyond the limits, all faults at once in the order of the keys, except
 * that too many keys are a fault alone (1-secrets-decisions.md section 8, custom_metadata).
 */
export function checkCustomMetadata(metadata: CustomMetadata): void {
  const keys = Object.keys(metadata)
  const faults =
    keys.length > maxKeys
      ? [`payload must contain at most ${maxKeys} keys, provided ${keys.length}`]
      : keys.sort(compareBytewise).flatMap((key) => faultsOf(key, metadata[key] ?? ''))
  if (faults.length === 0) return
  throw raised(
    'invalid',
    faults.map((fault) => `custom_metadata validation failed: ${fault}`),
  )
}

function faultsOf(key: string, value: string): string[] {
  const name = quoteGo(key)
  const keyBytes = Buffer.byteLength(key)
  const valueBytes = Buffer.byteLength(value)
  const faults: string[] = []
  if (keyBytes === 0 || keyBytes > maxKeyBytes) {
    faults.push(`length of key ${name} is ${keyBytes} but must be 0 < len(key) <= ${maxKeyBytes}`)
  }
  if (valueBytes === 0 || valueBytes > maxValueBytes) {
    faults.push(
      `length of value for key ${name} is ${valueBytes} but must be 0 < len(value) <= ${maxValueBytes}`,
    )
  }
  if (!printable.test(key)) faults.push(`key ${name} (${key}) contains unprintable characters`)
  if (!printable.test(value)) faults.push(`value for key ${name} contains unprintable characters`)
  return faults
}

/** Custom metadata as it is kept: sorted bytewise; without any, null. */
export function keptCustomMetadata(metadata: CustomMetadata): CustomMetadata | null {
  const keys = Object.keys(metadata)
  if (keys.length === 0) return null
  const sorted: Record<string, string> = {}
  for (const key of keys.sort(compareBytewise)) setMember(sorted, key, metadata[key] ?? '')
  return sorted
}
