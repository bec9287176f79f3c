import { createHmac, timingSafeEqual } from 'node:crypto'
import { Base64Error, decodeBase64 } from '../go/base64.ts'
import type { World } from '../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { clusterId } from './seal/seal.ts'

/**
 * Returns the cluster's index state, which a client can require in its next request: base64 of
 * `v1:<cluster id>:<local index>:<replicated index>:<mac>` (behaviour/secrets#index-headers). Both
 * indexes equal the service's index, because all its writes are replicated.
 */
export function indexState(world: World): string {
  const index = world.store.index('secrets')
  const state = `v1:${clusterId(world) ?? ''}:${index}:${index}`
  return Buffer.from(`${state}:${macOf(world, state)}`).toString('base64')
}

/**
 * Checks that the cluster has reached the index state in a request.
 *
 * @throws Refusal `precondition` (`required index state not present`) if the cluster has not
 *   reached the state
 * @throws Refusal `invalid` for a state that this cluster did not create, with the message of the
 *   reference's parser
 */
export function requireIndexState(world: World, text: string): void {
  const { local, replicated } = readState(world, text)
  const index = world.store.index('secrets')
  if (local > index || replicated > index) throw refuse('index-state-ahead')
}

function readState(world: World, text: string) {
  const decodedText = decodeState(text)
  const colon = decodedText.lastIndexOf(':')
  if (colon < 0) throw refuse('index-state-form')
  const state = decodedText.slice(0, colon)
  const mac = Buffer.from(decodedText.slice(colon + 1))
  const expected = Buffer.from(macOf(world, state))
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) {
    throw refuse('index-state-mac')
  }
  const [, , local, replicated] = state.split(':')
  return { local: Number(local), replicated: Number(replicated) }
}

function decodeState(text: string): string {
  try {
    return Buffer.from(decodeBase64(text)).toString('latin1')
  } catch (error) {
    throw error instanceof Base64Error
      ? refuse('index-state-encoding', { why: error.message })
      : error
  }
}

/**
 * Returns the MAC of a state. The key is the cluster's id, which every snapshot contains, even a
 * snapshot from before the first write. A test double does not need a secret key.
 */
function macOf(world: World, state: string): string {
  return createHmac('sha256', clusterId(world) ?? '')
    .update(state)
    .digest('hex')
}
