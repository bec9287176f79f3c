import { usualMountPaths } from '../../../routes/secrets/coverage.ts'
import { engineType, secretsEngines } from '../../../routes/secrets/engines.ts'
import type { Engine, SecretsOperation, Verb } from '../../../routes/secrets/operation.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { secretsWorld } from '../../state/secrets/system-world.ts'
import type { AnyRequest } from '../../support/secrets/secrets.ts'

/** A declared operation with the mount of its engine in a fresh world. */
export interface Declared {
  /** Verb and path: `write sys/mounts/*path`. */
  readonly name: string
  readonly engine: Engine
  /** Mount path of the engine in a fresh world, or its usual one: `secret/`. */
  readonly mountedAt: string
  readonly operation: SecretsOperation
}

/** Returns the mount path of an engine in a fresh world, or its usual one. */
function mountPathOf(engine: Engine, world: World): string {
  const mount = mountsIn(world, rootNamespace).find((each) => engineType(each) === engine.type)
  const later = usualMountPaths[engine.type]
  if (mount !== undefined) return mount.path
  if (later === undefined) throw new Error(`a fresh world has no mount of ${engine.type}`)
  return `${later}/`
}

/** Returns every declared operation, found by walking through the tables. */
export function declaredOperations(): readonly Declared[] {
  const world = secretsWorld()
  return secretsEngines.flatMap((engine) => {
    const mountedAt = mountPathOf(engine, world)
    return engine.operations.map((operation) => ({
      name: `${operation.verb} ${mountedAt}${operation.path}`,
      engine,
      mountedAt,
      operation,
    }))
  })
}

/** Returns the names of a pattern's parameters. */
export function parametersOf(pattern: string): string[] {
  return pattern
    .split('/')
    .filter((segment) => /^[:*]/.test(segment))
    .map((segment) => segment.slice(1))
}

/** Returns the path of an operation with a value for each parameter. */
export function pathOf(
  { mountedAt, operation }: Pick<Declared, 'mountedAt' | 'operation'>,
  fill: (parameter: string) => string = () => 'x',
): string {
  const segments = operation.path
    .split('/')
    .map((segment) => (/^[:*]/.test(segment) ? fill(segment.slice(1)) : segment))
  return mountedAt + segments.join('/')
}

const methods: Readonly<Record<Verb, string>> = {
  read: 'GET',
  list: 'GET',
  write: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
}

/** Queries without which the reply of an operation would not end. */
const endingQueries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'sys/monitor': { log_level: 'unknown' },
}

/** Returns a request that calls an operation, with an empty body if it takes one. */
export function callOf(declared: Declared, path = pathOf(declared)): AnyRequest {
  const { verb } = declared.operation
  const query = verb === 'list' ? { list: 'true' } : endingQueries[path]
  return {
    method: methods[verb],
    path,
    ...(query === undefined ? {} : { query }),
    ...(verb === 'write' || verb === 'patch' ? { payload: '{}' } : {}),
    ...(verb === 'patch' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
  }
}
