import type { KeyObject } from 'node:crypto'
import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, MountRow, walField } from '../mounts/mounts.ts'
import { type KeySpec, makePkiKey } from '../pki/key-making.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'
import {
  formatPrivateKey,
  keyLine,
  parsePrivateKey,
  parsePublicKey,
  publicBlob,
  SshKeyError,
} from './wire.ts'

/** Key pair with which a mount signs certificates (behaviour/secrets#ssh). */
const caShape = struct({
  /**
   * Line of `authorized_keys`. A generated line ends with a newline; a given line is stored
   * unchanged.
   */
  public_key: text,
  private_key: text,
  ...walField,
})
interface SshCa extends StoredOf<typeof caShape> {}

/** Key pairs, at most one row per mount. */
export const sshCaTable = secretsTable('ssh-ca', caShape, { secrets: { members: ['private_key'] } })

const cas = new MountRow<SshCa>(sshCaTable, () => refuse('ssh-ca-missing'))

/** Returns the keys of a mount, or undefined if it has no keys. */
export function findCa(world: World, mount: Mount): SshCa | undefined {
  return cas.find(world, mount)
}

/** Returns the keys of a mount. Throws an `invalid` refusal if it has no keys. */
export function requireCa(world: World, mount: Mount): SshCa {
  return cas.read(world, mount)
}

export function deleteCa(world: World, mount: Mount): void {
  cas.remove(world, mount)
}

/**
 * Request that configures the keys of a mount. Holds either both keys, or the type and length of
 * keys to generate; omitted keys are empty strings.
 */
interface CaRequest {
  readonly public_key: string
  readonly private_key: string
  readonly generate_signing_key?: boolean | undefined
  readonly key_type: string
  readonly key_bits: number
}

/**
 * Stores the keys of a mount, which are either generated or taken from the request. Returns the
 * public key if it was generated, otherwise undefined.
 *
 * @throws Refusal `invalid` for contradictory, missing or unreadable keys, for an unknown type or
 *   length, and if the mount already has keys
 */
export function configureCa(world: World, mount: Mount, request: CaRequest): string | undefined {
  const { public_key, private_key, generate_signing_key: requestsGeneration } = request
  const hasKeys = public_key !== '' && private_key !== ''
  const hasNone = public_key === '' && private_key === ''
  if (requestsGeneration === true && !hasNone) throw refuse('ssh-ca-both')
  if (requestsGeneration === false || hasKeys) checkGivenKeys(request)
  else if (requestsGeneration === undefined && !hasNone) throw refuse('ssh-ca-half')
  const usesGivenKeys = requestsGeneration === false || hasKeys
  const spec = usesGivenKeys ? undefined : sshKeySpec(request.key_type, request.key_bits)
  if (findCa(world, mount) !== undefined) throw refuse('ssh-ca-exists')
  return world.write(() => {
    if (spec === undefined) {
      cas.put(world, mount, { public_key, private_key })
      return undefined
    }
    const { line, text } = makeKeyPair(world, spec)
    cas.put(world, mount, { public_key: line, private_key: text })
    return line
  })
}

function checkGivenKeys({ public_key, private_key }: CaRequest): void {
  if (public_key === '') throw refuse('ssh-public-key-missing')
  if (private_key === '') throw refuse('ssh-private-key-missing')
  parseOrRefuse(() => parsePrivateKey(private_key), 'ssh-private-key-unreadable')
  parseOrRefuse(() => parsePublicKey(public_key), 'ssh-ca-public-key-unreadable')
}

/** Calls a parser, and converts its `SshKeyError` to a refusal with the message as the reason. */
export function parseOrRefuse<T>(
  parse: () => T,
  rule: 'ssh-private-key-unreadable' | 'ssh-ca-public-key-unreadable' | 'ssh-public-key-unreadable',
): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof SshKeyError)) throw error
    throw refuse(rule, { why: error.message })
  }
}

/**
 * Returns the key specification for a type name, such as `rsa` or `ssh-rsa`, and a length in bits;
 * 0 means the default length. Throws an `invalid` refusal for an unknown type or length.
 */
export function sshKeySpec(type: string, bits: number): KeySpec {
  if (type === 'rsa' || type === 'ssh-rsa') {
    if (bits !== 0 && bits < 2048) throw refuse('ssh-key-weak', { type, bits })
    return { type: 'rsa', bits: bits || 4096 }
  }
  if (type === 'ed25519' || type === 'ssh-ed25519') return { type: 'ed25519', bits: 0 }
  const named = /^ecdsa-sha2-nistp(256|384|521)$/.exec(type)?.[1]
  if (named !== undefined) return { type: 'ec', bits: Number(named) }
  if (type !== 'ec') throw refuse('ssh-key-algorithm-unknown', { type })
  const length = bits || 256
  if (![256, 384, 521].includes(length)) throw refuse('ssh-curve-unknown', { type, bits })
  return { type: 'ec', bits: length }
}

/**
 * Returns a new key, its public line for `authorized_keys`, and its private key in the format of
 * OpenSSH.
 */
export function makeKeyPair(
  world: World,
  spec: KeySpec,
): { readonly key: KeyObject; readonly line: string; readonly text: string } {
  const key = makePkiKey(world, spec)
  return { key, line: keyLine(publicBlob(key)), text: formatPrivateKey(world, key) }
}

/** Parses the private key. Declared at module level because `world.derived` caches by function. */
export function signingKey({ private_key }: SshCa): KeyObject {
  return parsePrivateKey(private_key)
}
