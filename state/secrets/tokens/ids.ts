import type { World } from '../../kernel/worlds/world.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import type { Token } from './rows.ts'

/** Number of letters and digits in service tokens and accessors (behaviour/secrets#tokens). */
const randomPart = 24

/**
 * Generates the id of a token. An id that is generated in a child namespace ends with the id of the
 * namespace.
 */
export function generateTokenId(
  world: World,
  { type, policies }: Pick<Token, 'type' | 'policies'>,
  namespace: Namespace,
): string {
  const { serviceTokenPrefix, batchTokenPrefix, tokenForm } = optionsOf(world)
  const suffix = suffixOf(namespace)
  if (type === 'batch') {
    const content = tokenForm === 'encoded' ? encrypted(world) : world.ids.base62(96)
    return batchTokenPrefix + content + suffix
  }
  const plain = serviceTokenPrefix + world.ids.base62(randomPart) + suffix
  const isRoot = policies.length === 1 && policies[0] === 'root'
  return tokenForm === 'encoded' && !isRoot ? serviceTokenPrefix + signed(world, plain) : plain
}

/** Generates an accessor. Batch tokens have an empty accessor. */
export function generateAccessor(
  world: World,
  { type }: Pick<Token, 'type'>,
  namespace: Namespace,
): string {
  return type === 'batch' ? '' : world.ids.base62(randomPart) + suffixOf(namespace)
}

function suffixOf(namespace: Namespace): string {
  return namespace.id === rootNamespace.id ? '' : `.${namespace.id}`
}

/**
 * Appends a signature in the reference's encoding: a protobuf message of a version (1), 32
 * signature bytes and an inner message with the token. The mock never verifies the signature.
 */
function signed(world: World, plain: string): string {
  const token = field(1, Buffer.from(plain))
  const message = [Buffer.from([0x08, 1]), field(2, world.ids.bytes(32)), field(3, token)]
  return Buffer.concat(message).toString('base64url')
}

/**
 * Encodes a member of a protobuf message that contains bytes: number and wire type, length, bytes.
 */
function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

/**
 * Generates the text of a batch token. In the reference, the text is the row of the token,
 * encrypted with the first key.
 */
function encrypted(world: World): string {
  const header = [0, 0, 0, 1, 2]
  return Buffer.concat([Buffer.from(header), world.ids.bytes(112)]).toString('base64url')
}
