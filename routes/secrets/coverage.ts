import { type ApiCoverage, type CoveredOperation, evidenceOf } from '../http/declare/coverage.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { secretsEngines } from './engines.ts'
import { type Engine, formatAccess, type Verb } from './operation.ts'

/** The HTTP method of a verb (behaviour/secrets#api-conventions). */
export const methods: Readonly<Record<Verb, string>> = {
  read: 'GET',
  list: 'LIST',
  write: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
}

/** Where each engine is mounted in a fresh world. */
const mountPaths: Readonly<Record<string, string>> = {
  system: 'sys',
  token: 'auth/token',
  identity: 'identity',
  cubbyhole: 'cubbyhole',
  'kv-v1': 'kv',
  'kv-v2': 'secret',
  orch: 'orch',
  cloud: 'auth/cloud',
}

/** Where engines usually are that a fresh world has not. */
export const laterPaths: Readonly<Record<string, string>> = {
  transit: 'transit',
  approle: 'auth/approle',
  userpass: 'auth/userpass',
  jwt: 'auth/jwt',
  'orch-login': 'auth/orch',
}

/** The same where the vendor has it elsewhere. */
const vendorPaths: Readonly<Record<string, string>> = {
  orch: 'kubernetes',
  cloud: 'auth/oci',
  'orch-login': 'auth/kubernetes',
}

/**
 * Where a fresh world of a dialect has an engine, without a closing slash: `auth/token`; of one that it
 * has not, where it usually is.
 */
export function mountPathOf(type: string, dialect: DialectName = 'neutral'): string {
  const vendor = dialect === 'vendor' ? vendorPaths[type] : undefined
  const path = vendor ?? mountPaths[type] ?? laterPaths[type]
  if (path === undefined) throw new Error(`coverage.ts does not know where ${type} is mounted`)
  return path
}

/**
 * Every operation that engines declare, in their order, at the usual mounts of a dialect. In paths,
 * `:name` is one name and `:path` may hold slashes.
 */
export function secretsOperations(
  engines: readonly Engine[] = secretsEngines,
  dialect: DialectName = 'neutral',
): readonly CoveredOperation[] {
  return engines.flatMap(({ type, operations }) => {
    const mount = mountPathOf(type, dialect)
    return operations.flatMap((operation) => {
      const { id, verb, path, summary, spec, methods: special } = operation
      return [...(special === 'head' ? ['HEAD'] : []), methods[verb]].map((method) => ({
        id,
        verb: method,
        path: `/v1/${mount}/${path.replaceAll('*', ':')}`,
        summary,
        spec,
        evidence: evidenceOf(spec),
        access: formatAccess(operation),
      }))
    })
  })
}

/** Returns the operations of the secrets API in a dialect. */
export function secretsCoverage(dialect: DialectName = 'neutral'): ApiCoverage {
  return { operations: secretsOperations(secretsEngines, dialect) }
}
