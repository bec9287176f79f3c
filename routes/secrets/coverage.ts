import { type ApiCoverage, type CoveredOperation, evidenceOf } from '../http/declare/coverage.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { formatAccess } from './access.ts'
import { secretsEngines } from './engines.ts'
import type { Engine, Verb } from './operation.ts'

/** HTTP method that stands for each verb. PUT, which is also a write, is left out. */
export const methods: Readonly<Record<Verb, string>> = {
  read: 'GET',
  list: 'LIST',
  write: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
}

/** Mount paths of engines in a fresh world. */
const initialMountPaths: Readonly<Record<string, string>> = {
  system: 'sys',
  token: 'auth/token',
  identity: 'identity',
  cubbyhole: 'cubbyhole',
  'kv-v1': 'kv',
  'kv-v2': 'secret',
  orch: 'orch',
  cloud: 'auth/cloud',
}

/** Usual mount paths of engines that a fresh world does not have. */
export const usualMountPaths: Readonly<Record<string, string>> = {
  transit: 'transit',
  pki: 'pki',
  database: 'database',
  totp: 'totp',
  ssh: 'ssh',
  approle: 'auth/approle',
  userpass: 'auth/userpass',
  jwt: 'auth/jwt',
  ldap: 'auth/ldap',
  cert: 'auth/cert',
  github: 'auth/github',
  okta: 'auth/okta',
  'orch-login': 'auth/orch',
}

/** Mount paths of the engines whose paths are different in the vendor dialect. */
const vendorMountPaths: Readonly<Record<string, string>> = {
  orch: 'kubernetes',
  cloud: 'auth/oci',
  'orch-login': 'auth/kubernetes',
}

/**
 * Returns the mount path of an engine in a fresh world of a dialect, without a trailing slash:
 * `auth/token`. If a fresh world does not have the engine, returns its usual mount path. Throws an
 * error for an unknown engine.
 */
export function mountPathOf(type: string, dialect: DialectName = 'neutral'): string {
  const vendor = dialect === 'vendor' ? vendorMountPaths[type] : undefined
  const path = vendor ?? initialMountPaths[type] ?? usualMountPaths[type]
  if (path === undefined) throw new Error(`coverage.ts does not know where ${type} is mounted`)
  return path
}

/**
 * Returns all operations that engines declare, in order of declaration, at the mount paths that the
 * dialect uses. An operation that supports HEAD appears a second time with that method. In paths,
 * every parameter is written as `:name`, even if it may contain slashes.
 */
export function secretsOperations(
  engines: readonly Engine[] = secretsEngines,
  dialect: DialectName = 'neutral',
): readonly CoveredOperation[] {
  return engines.flatMap(({ type, operations }) => {
    const mount = mountPathOf(type, dialect)
    return operations.flatMap((operation) => {
      const { id, verb, path, summary, spec, methods: specialMethods } = operation
      return [...(specialMethods === 'head' ? ['HEAD'] : []), methods[verb]].map((method) => ({
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

export function secretsCoverage(dialect: DialectName = 'neutral'): ApiCoverage {
  return { operations: secretsOperations(secretsEngines, dialect) }
}
