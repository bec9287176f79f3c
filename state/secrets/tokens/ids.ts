import type { World } from '../../kernel/worlds/world.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import type { Token } from './rows.ts'

/** The number of letters and digits of service tokens and accessors (behaviour/secrets#tokens). */
const randomPart = 24

/** Makes up the id of a token. Those made inside a child namespace tell that namespace's id. */
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

/** Makes up an accessor; a batch token has none. */
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
 * A token with a signature, as the reference tells it: a message of a version (1), 32 bytes of
 * signature and a message with the token. Nobody checks the signature here.
 */
function signed(world: World, plain: string): string {
  const token = field(1, Buffer.from(plain))
  const message = [Buffer.from([0x08, 1]), field(2, world.ids.bytes(32)), field(3, token)]
  return Buffer.concat(message).toString('base64url')
}

/** A member of a message that is bytes: its number and kind, its length and the bytes. */
function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

/** What a batch token is in the reference: its own row, under the first key. */
function encrypted(world: World): string {
  const header = [0, 0, 0, 1, 2]
  return Buffer.concat([Buffer.from(header), world.ids.bytes(112)]).toString('base64url')
}
