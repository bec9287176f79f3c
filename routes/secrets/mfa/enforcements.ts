import { list, text } from '../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Enforcement } from '../../../state/secrets/mfa/enforcement-rows.ts'
import {
  deleteEnforcement,
  enforcementsIn,
  findEnforcement,
  writeEnforcement,
} from '../../../state/secrets/mfa/enforcements.ts'
import { refuse } from '../../../state/secrets/mfa/messages.ts'
import { namespaceOf } from '../../../state/secrets/mfa/methods.ts'
import { mountByAccessor } from '../../../state/secrets/mounts/mounts.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { dialectDataOutcome } from '../envelope/outcome.ts'
import { keyInfoEnvelope, structEnvelope } from '../envelope/schemas.ts'
import { texts } from '../fields/field-kinds.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'
import { accessorOf } from '../sys/mount-entry.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#mfa' })

/** Returns the data of an enforcement for replies. */
function enforcementData(world: World, row: Enforcement, dialect: SecretsDialect): object {
  return {
    auth_method_accessors: row.auth_method_accessors.map((accessor) => {
      const mount = mountByAccessor(world, accessor)
      return mount === undefined ? accessor : accessorOf(mount, dialect.mountType(mount.type))
    }),
    auth_method_types: row.auth_method_types.map((type) => dialect.mountType(type)),
    id: row.id,
    identity_entity_ids: row.identity_entity_ids,
    identity_group_ids: row.identity_group_ids,
    mfa_method_ids: row.mfa_method_ids,
    name: row.name,
    namespace_id: row.namespace,
    namespace_path: namespaceOf(world, row.namespace).path,
  }
}

const textList = list(text)

/**
 * Operations on login enforcements. An enforcement determines which logins need a second factor.
 */
export const enforcementOperations: readonly SecretsOperation[] = [
  operation.list('identityListLoginEnforcements', 'mfa/login-enforcement', {
    summary: 'List the names of the enforcements.',
    reply: { 200: keyInfoEnvelope },
    run({ world, namespace }) {
      const rows = enforcementsIn(world, namespace)
      if (rows.length === 0) throw refuse('nothing-here')
      return dialectDataOutcome((dialect) => ({
        keys: rows.map(({ name }) => name),
        key_info: Object.fromEntries(
          rows.map((row) => [row.name, enforcementData(world, row, dialect)]),
        ),
      }))
    },
  }),
  operation.read('identityReadLoginEnforcement', 'mfa/login-enforcement/:name', {
    summary: 'Read an enforcement.',
    reply: {
      200: structEnvelope({
        auth_method_accessors: textList,
        auth_method_types: textList,
        id: text,
        identity_entity_ids: textList,
        identity_group_ids: textList,
        mfa_method_ids: textList,
        name: text,
        namespace_id: text,
        namespace_path: text,
      }),
    },
    run({ world, namespace, params: { name } }) {
      const row = findEnforcement(world, namespace, name)
      if (row === undefined) throw refuse('nothing-here')
      return dialectDataOutcome((dialect) => enforcementData(world, row, dialect))
    },
  }),
  operation.write('identityWriteLoginEnforcement', 'mfa/login-enforcement/:name', {
    summary: 'Create or change an enforcement: its logins need one of its methods.',
    body: {
      mfa_method_ids: texts('Ids of methods'),
      auth_method_accessors: texts('Accessors of login methods'),
      auth_method_types: texts('Types of login methods'),
      identity_group_ids: texts('Ids of groups'),
      identity_entity_ids: texts('Ids of entities'),
    },
    apply: ({ world, namespace, params: { name }, fields }) =>
      writeEnforcement(world, namespace, name, fields),
  }),
  operation.delete('identityDeleteLoginEnforcement', 'mfa/login-enforcement/:name', {
    summary: 'Delete an enforcement.',
    apply: ({ world, namespace, params: { name } }) => deleteEnforcement(world, namespace, name),
  }),
]
