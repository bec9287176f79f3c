import { isPrintable, quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import { setMember } from '../../kernel/json.ts'
import type { Message } from '../../kernel/message.ts'
import { errorList } from '../common-messages.ts'
import { message, refuse } from './messages.ts'

/** Custom metadata of a secret, common to all its versions. */
export type CustomMetadata = Readonly<Record<string, string>>

const maxKeys = 64
const maxKeyBytes = 128
const maxValueBytes = 512

/**
 * Refuses custom metadata beyond the limits. The refusal reports all errors in the order of the
 * keys, but too many keys alone (behaviour/secrets#custom-metadata).
 */
export function checkCustomMetadata(metadata: CustomMetadata): void {
  const keys = Object.keys(metadata)
  const faults =
    keys.length > maxKeys
      ? [message('metadata-keys', { maxKeys, count: keys.length })]
      : keys.sort(compareBytewise).flatMap((key) => faultsOf(key, metadata[key] ?? ''))
  if (faults.length === 0) return
  throw refuse('custom-metadata-invalid', {
    faults: errorList(faults.map((fault) => message('custom-metadata-fault', { fault }))),
  })
}

function faultsOf(key: string, value: string): Message[] {
  const name = quoteGo(key)
  const keyBytes = Buffer.byteLength(key)
  const valueBytes = Buffer.byteLength(value)
  const faults: Message[] = []
  if (keyBytes === 0 || keyBytes > maxKeyBytes) {
    faults.push(message('metadata-key-length', { name, bytes: keyBytes, maxKeyBytes }))
  }
  if (valueBytes === 0 || valueBytes > maxValueBytes) {
    faults.push(message('metadata-value-length', { name, bytes: valueBytes, maxValueBytes }))
  }
  if (!isPrintable(key)) faults.push(message('metadata-key-unprintable', { name, key }))
  if (!isPrintable(value)) faults.push(message('metadata-value-unprintable', { name }))
  return faults
}

/** Returns custom metadata as they are stored: sorted bytewise; null if empty. */
export function storedCustomMetadata(metadata: CustomMetadata): CustomMetadata | null {
  const keys = Object.keys(metadata)
  if (keys.length === 0) return null
  const sorted: Record<string, string> = {}
  for (const key of keys.sort(compareBytewise)) setMember(sorted, key, metadata[key] ?? '')
  return sorted
}

/** A merge patch: null removes a key; null as the whole patch removes all keys. */
export type CustomMetadataPatch = Readonly<Record<string, string | null>> | null

/** Returns the stored custom metadata after a patch. */
export function patchedCustomMetadata(
  before: CustomMetadata | null,
  patch: CustomMetadataPatch | undefined,
): CustomMetadata | null {
  if (patch === undefined) return before
  return patch === null ? null : storedCustomMetadata(withoutNulls({ ...before, ...patch }))
}

function withoutNulls(entries: Readonly<Record<string, string | null>>): CustomMetadata {
  const present: Record<string, string> = {}
  for (const [key, value] of Object.entries(entries)) {
    if (value !== null) setMember(present, key, value)
  }
  return present
}
