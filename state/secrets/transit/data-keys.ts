import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { decodeInput, type Versioned } from './ciphertext.ts'
import { encrypt } from './encryption.ts'
import { requireKey } from './items.ts'
import { refuse } from './messages.ts'

/** A request for a data key. */
interface DataKeyRequest {
  readonly bits: number
  /** Base64. */
  readonly context: string
  /** 0 for the latest version. */
  readonly keyVersion: number
}

/**
 * Generates a random data key and encrypts it (behaviour/secrets#transit-encryption, datakey).
 * Refuses with `invalid`.
 */
export function makeDataKey(
  world: World,
  mount: Mount,
  name: string,
  request: DataKeyRequest,
): { readonly plaintext: Uint8Array; readonly sealed: Versioned } {
  const context = decodeInput(request.context, () => refuse('context-base64-invalid'))
  const key = requireKey(world, mount, name)
  if (![128, 256, 512].includes(request.bits)) throw refuse('data-key-bits')
  const plaintext = world.ids.bytes(request.bits / 8)
  const cryptoContext = { context, associatedData: '', at: 0 }
  return { plaintext, sealed: encrypt(world, key, request.keyVersion, plaintext, cryptoContext) }
}
