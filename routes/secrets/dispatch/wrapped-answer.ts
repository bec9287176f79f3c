import { finish, type Meanwhile } from '../../../state/kernel/meanwhile.ts'
import type { World } from '../../../state/kernel/world.ts'
import { wrap } from '../../../state/secrets/wrapping/wrapping.ts'
import type { Outcome } from '../envelope/outcome.ts'
import { wrappedEnvelope } from '../envelope/schemas.ts'
import type { Call, SecretsOperation, Wrapping } from '../operation.ts'

/** What was called: the wrapping token tells the path and belongs to the namespace. */
type Called = Pick<Call, 'namespace' | 'path'> & {
  readonly operation: SecretsOperation | undefined
}

/** Has an answer wrapped as its caller wants (1-secrets-decisions.md section 1, Wrapping). */
export function wrapAnswer(
  answer: Outcome | Meanwhile<Outcome>,
  world: World,
  wrapping: Wrapping,
  called: Called,
): Outcome | Meanwhile<Outcome> {
  return finish(answer, (reply) => wrapped(reply, world, wrapping, called))
}

function wrapped(
  reply: Outcome,
  world: World,
  { ttl, address }: Wrapping,
  { namespace, path, operation }: Called,
): Outcome {
  if (reply.kind === 'wrapped') return reply
  // What stands for a wrapped reply already is not wrapped once more.
  if (reply.kind === 'envelope' && reply.wrap !== undefined) return reply
  const request = {
    ttl,
    path,
    namespace,
    wrappedAccessor: reply.kind === 'envelope' ? (reply.auth?.accessor ?? '') : '',
    address: operation?.opaqueWrapping === true ? undefined : address,
  }
  return { kind: 'wrapped', reply, wrap: (text) => wrap(world, { ...request, text }) }
}

/** The operation as it answers when its answer is wrapped. */
export function wrappedOperation(operation: SecretsOperation): SecretsOperation {
  if (operation.reply[200] === undefined) return operation
  return { ...operation, reply: { ...operation.reply, 200: wrappedEnvelope } }
}
