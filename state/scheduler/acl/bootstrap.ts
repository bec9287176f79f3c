import { text, uint } from '../../kernel/shape/kinds.ts'
import { inputOnly, secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { serverWriteRequestMembers } from '../body-addresses.ts'
import { setEventType } from '../events/buffer.ts'
import { nextIndex } from '../indexes.ts'
import { optionsOf } from '../options.ts'
import { requireAcls } from './callers.ts'
import { refuse } from './messages.ts'
import { type AclToken, aclBootstrap, aclTokens } from './tables.ts'
import { storeToken } from './token-bodies.ts'
import { isUuid } from './uuids.ts'

/** Body of the bootstrap request, which may be omitted. */
export const bootstrapShape = struct('ACLTokenBootstrapRequest', {
  ResetIndex: uint,
  BootstrapSecret: secret(inputOnly(text)),
  ...serverWriteRequestMembers,
})
type InputBootstrap = ParsedOf<typeof bootstrapShape>

/**
 * Creates the first management token (behaviour/scheduler#acl).
 *
 * @throws Refusal 400 while ACLs are off, if ACLs are bootstrapped already, and for a secret that
 *   is malformed or in use
 */
export function bootstrapAcls(world: World, input?: InputBootstrap): AclToken {
  requireAcls(world)
  const bootstrapRow = world.table(aclBootstrap).get('')
  if (bootstrapRow !== undefined) {
    throw refuse('bootstrap-done', { index: bootstrapRow.index })
  }
  const secret = input?.BootstrapSecret || undefined
  if (
    secret !== undefined &&
    (!isUuid(secret) || world.table(aclTokens).index('bySecret').has(secret))
  ) {
    throw refuse('bootstrap-token-invalid')
  }
  return world.write(() => {
    // The reference emits no events for this write.
    setEventType(world, '')
    world.table(aclBootstrap).put('', { index: nextIndex(world) })
    return addManagementToken(world, 'Bootstrap Token', secret)
  })
}

/**
 * Creates the initial management token from the world's options, as if ACLs were bootstrapped
 * already (behaviour/program#fresh-world). Does nothing unless the option `bootstrap` is `done`.
 * Must run inside a transaction.
 */
export function seedAcl(world: World): void {
  const { initialManagementToken, bootstrap } = optionsOf(world)
  if (bootstrap !== 'done') return
  addManagementToken(world, 'Bootstrap Token', initialManagementToken)
  world.table(aclBootstrap).put('', { index: nextIndex(world) })
}

function addManagementToken(world: World, Name: string, secret?: string): AclToken {
  const index = nextIndex(world)
  return storeToken(world, {
    AccessorID: world.ids.uuid(),
    SecretID: secret ?? world.ids.uuid(),
    Name,
    Type: 'management',
    Policies: null,
    Global: true,
    CreateTime: formatTimestamp(world.clock.now()),
    CreateIndex: index,
    ModifyIndex: index,
  })
}
