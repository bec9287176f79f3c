import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { message, refuse } from './messages.ts'

export type IdentityMetadata = Readonly<Record<string, string>>

const maxPairs = 64
const maxKeyLength = 128
const maxValueLength = 512
const reservedPrefix = 'vault-'

/**
 * Throws an `invalid` refusal for metadata with too many pairs, an invalid key or a long value
 * (behaviour/secrets#entities).
 */
export function checkMetadata(ownerKind: 'entity' | 'group', metadata: IdentityMetadata): void {
  const problem = problemOf(metadata)
  if (problem !== undefined) throw refuse('identity-metadata-invalid', { of: ownerKind, problem })
}

function problemOf(metadata: IdentityMetadata): Message | undefined {
  const pairs = Object.entries(metadata)
  if (pairs.length > maxPairs) return message('identity-metadata-pairs', { most: maxPairs })
  for (const [key, value] of pairs) {
    const problem = pairProblem(key, value)
    if (problem !== undefined) {
      return message('identity-metadata-pair', {
        key: quoteGo(key),
        value: quoteGo(value),
        problem,
      })
    }
  }
  return undefined
}

function pairProblem(key: string, value: string): Message | undefined {
  if (key === '') return message('identity-metadata-key-blank')
  if (!/^[a-zA-Z0-9=/+_-]+$/.test(key)) return message('identity-metadata-key-characters')
  if (key.length > maxKeyLength)
    return message('identity-metadata-key-long', { most: maxKeyLength })
  if (key.startsWith(reservedPrefix)) {
    return message('identity-metadata-key-reserved', { prefix: quoteGo(reservedPrefix) })
  }
  if (Buffer.byteLength(value) > maxValueLength) {
    return message('identity-metadata-value-long', { most: maxValueLength })
  }
  return undefined
}
