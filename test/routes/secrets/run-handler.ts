import type { SecretsOutcome } from '../../../routes/secrets/envelope/outcome.ts'
import type { Call, SecretsOperation } from '../../../routes/secrets/operation.ts'
import type { JsonObject } from '../../../state/kernel/json.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'

/**
 * Runs the write of a system path as the dispatcher does, without all that comes before: up to its
 * first wait the handler has run when this returns. For handlers that look at world and fields alone.
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
