import type { SecretsOutcome } from '../../../routes/secrets/envelope/outcome.ts'
import type { Call, SecretsOperation } from '../../../routes/secrets/operation.ts'
import type { JsonObject } from '../../../state/kernel/json.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'

/**
 * Runs the handler of a write to a system path without the checks before it. Returns when the
 * handler has run up to its first wait. Only for handlers that use no more than world and fields.
 */
export function runHandler(
  operations: readonly SecretsOperation[],
  path: string,
  world: World,
  input: JsonObject,
): SecretsOutcome | Promise<SecretsOutcome> {
  const operation = operations.find((one) => one.path === path && one.verb === 'write')
  if (operation === undefined) throw new Error(`nothing writes ${path}`)
  const call = { world, fields: operation.convert(input) } satisfies Partial<Call>
  return world.request(() => operation.run(call as unknown as Call))
}
