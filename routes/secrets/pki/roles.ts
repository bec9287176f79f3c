import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { PkiRole } from '../../../state/secrets/pki/roles.ts'
import {
  patchPkiRole,
  pkiRoleMembers,
  pkiRoles,
  writePkiRole,
} from '../../../state/secrets/pki/roles.ts'
import { dataOutcome, keysOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, keysEnvelope } from '../envelope/schemas.ts'
import { duration, unsplitTexts } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-roles' })

const durations = ['ttl', 'max_ttl', 'not_before_duration'] as const

const { allow_token_displayname: _, ...settable } = pkiRoleMembers

/** Fields of a role. Most field descriptions consist only of the setting's name. */
const roleFields = {
  ...describedMembers(settable),
  policy_identifiers: unsplitTexts(
    'OIDs of policies, or a JSON array of objects with oid, cps and notice',
  ),
  ttl: duration('Validity of certificates; 0 means the default of the mount'),
  max_ttl: duration('Maximum validity; 0 means the maximum of the mount'),
  not_before_duration: duration(
    'Time by which the start of a certificate is before the current time',
  ),
} satisfies Record<(typeof durations)[number] | 'policy_identifiers', unknown>

function describedMembers<const M extends Readonly<Record<string, Shape>>>(members: M): M {
  const entries = Object.entries(members).map(([name, shape]) => [
    name,
    described(shape, `Setting ${name} of the role`),
  ])
  return Object.fromEntries(entries) as M
}

const roleReply = enveloped(pkiRoleMembers)

/** Returns the data of a role for replies, without the internal member `wal`. */
function roleView({ wal: _wal, ...view }: PkiRole): object {
  return view
}

export const roleOperations = [
  operation.list('pkiListRoles', 'roles', {
    summary: 'List the names of the roles.',
    reply: { 200: keysEnvelope },
    run: ({ world, mount }) => keysOutcome(pkiRoles.names(world, mount)),
  }),
  operation.read('pkiReadRole', 'roles/:name', {
    summary: 'Read a role.',
    reply: roleReply,
    run: ({ world, mount, params }) =>
      dataOutcome(roleView(pkiRoles.read(world, mount, params.name))),
  }),
  operation.write('pkiWriteRole', 'roles/:name', {
    summary: 'Create or replace a role.',
    body: roleFields,
    failures: [500],
    reply: roleReply,
    run: ({ world, mount, params, fields }) =>
      roleOutcome(writePkiRole(world, mount, params.name, fields)),
  }),
  operation.patch('pkiPatchRole', 'roles/:name', {
    summary: 'Change the given settings of a role.',
    body: roleFields,
    failures: [500],
    reply: roleReply,
    run: ({ world, mount, params, fields }) =>
      roleOutcome(patchPkiRole(world, mount, params.name, fields)),
  }),
  operation.delete('pkiDeleteRole', 'roles/:name', {
    summary: 'Delete a role.',
    apply: ({ world, mount, params }) => pkiRoles.remove(world, mount, params.name),
  }),
]

function roleOutcome({ role, warnings }: ReturnType<typeof writePkiRole>): SecretsOutcome {
  return { kind: 'envelope', data: roleView(role), warnings }
}
