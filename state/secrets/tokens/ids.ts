import type { World } from '../../kernel/worlds/world.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import type { Token } from './rows.ts'

/** Number of random base62 characters in service tokens and accessors. */
const randomLength = 24

/**
 * Generates the id of a token. Outside the root namespace, the id ends with a period and the id of
 * the namespace; an encoded service token contains this suffix in its encoded part instead.
 */
export function generateTokenId(
  world: World,
  { type, policies }: Pick<Token, 'type' | 'policies'>,
  namespace: Namespace,
): string {
  const { serviceTokenPrefix, batchTokenPrefix, tokenForm } = optionsOf(world)
  const suffix = suffixOf(namespace)
  if (type === 'batch') {
    const content = tokenForm === 'encoded' ? randomBatchToken(world) : world.ids.base62(96)
    return batchTokenPrefix + content + suffix
  }
  const plain = serviceTokenPrefix + world.ids.base62(randomLength) + suffix
  const isRoot = policies.length === 1 && policies[0] === 'root'
  return tokenForm === 'encoded' && !isRoot
    ? serviceTokenPrefix + encodeServiceToken(world, plain)
    : plain
}

/** Generates the accessor of a token. Returns an empty accessor for a batch token. */
export function generateAccessor(
  world: World,
  { type }: Pick<Token, 'type'>,
  namespace: Namespace,
): string {
  return type === 'batch' ? '' : world.ids.base62(randomLength) + suffixOf(namespace)
}

function suffixOf(namespace: Namespace): string {
  return namespace.id === rootNamespace.id ? '' : `.${namespace.id}`
}

/**
 * Encodes a token like the reference: a protobuf message with version 1, a signature and an inner
 * message with the token. The signature is random, because the mock looks tokens up instead of
 * verifying them.
 */
function encodeServiceToken(world: World, plain: string): string {
  const token = protobufField(1, Buffer.from(plain))
  const message = [
    Buffer.from([0x08, 1]),
    protobufField(2, world.ids.bytes(32)),
    protobufField(3, token),
  ]
  return Buffer.concat(message).toString('base64url')
}

/**
 * Encodes a protobuf field of bytes that are shorter than 128: field number with wire type, length,
 * bytes.
 */
function protobufField(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

/**
 * Generates random bytes in the form of a batch token. In the reference, a batch token contains its
 * own data, encrypted with the first key.
 */
function randomBatchToken(world: World): string {
  const header = [0, 0, 0, 1, 2]
  return Buffer.concat([Buffer.from(header), world.ids.bytes(112)]).toString('base64url')
}
