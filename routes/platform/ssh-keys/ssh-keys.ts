import { text, union } from '../../../state/kernel/shape/kinds.ts'
import { secret, struct } from '../../../state/kernel/shape/members.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import type { Organization } from '../../../state/platform/organizations/organizations.ts'
import {
  assignSshKey,
  changeSshKey,
  createSshKey,
  deleteSshKey,
  managesSshKeys,
  readsSshKeys,
  type SshKey,
  sshKeysOf,
  sshKeyWithId,
} from '../../../state/platform/ssh-keys/ssh-keys.ts'
import { ok } from '../../http/declare/operation.ts'
import { optionalMembers, strictText } from '../json-api/attributes.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import {
  listOf,
  type Resource,
  resourceShape,
  selfLink,
  unpagedListOf,
} from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { checkMember, findOrganization } from '../organizations/scopes.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'
import {
  workspaceResource,
  workspaceShape,
  workspaceType,
} from '../workspaces/workspace-resource.ts'

const type = 'ssh-keys'
const shape = resourceShape(type, struct({ name: text }), { links: selfLink })
const inputAttributes = optionalMembers({ name: strictText, value: secret(strictText) })
const form = { type, attributes: inputAttributes } as const

function resourceOf({ id, name }: SshKey): Resource {
  return { id, type, attributes: { name }, links: { self: `/api/v2/ssh-keys/${id}` } }
}

type Permission = typeof managesSshKeys

/**
 * Returns a function that finds the organization in the path. The function throws 404 unless the
 * caller has the given permission over its keys, and 401 if the organization does not accept the
 * caller's kind of token.
 */
function findOrganizationWith(permits: Permission): (scope: Scope) => Organization {
  return (scope) => {
    const organization = findOrganization(scope)
    const isPermitted = permits(scope.world, scope.caller, organization.name)
    return requireFound(isPermitted ? organization : undefined)
  }
}

/**
 * Returns a function that finds the key in the path. The function throws 404 unless the caller has
 * the given permission over the keys of the organization, and 401 if the organization does not
 * accept the caller's kind of token.
 */
function findKeyWith(permits: Permission): (scope: Scope) => SshKey {
  return ({ world, caller, params }) => {
    const key = requireFound(sshKeyWithId(world, params['ssh_key_id'] ?? ''))
    checkMember(world, caller, key.organization)
    return requireFound(permits(world, caller, key.organization) ? key : undefined)
  }
}

const spec = 'behaviour/platform#ssh-keys'
const rendering = { shape, render: resourceOf }
const workspaceRendering = { shape: workspaceShape, render: workspaceResource }

const onReadableOrganization = operationsOn('caller', findOrganizationWith(readsSshKeys), spec)
const onManagedOrganization = operationsOn('caller', findOrganizationWith(managesSshKeys), spec)
const onReadableKey = operationsOn('caller', findKeyWith(readsSshKeys), spec)
const onManagedKey = operationsOn('caller', findKeyWith(managesSshKeys), spec)
const onWorkspace = operationsOn('caller', findWorkspaceFor('admin'), spec)

const listPath = '/organizations/:organization_name/ssh-keys'
const onePath = '/ssh-keys/:ssh_key_id'

export const sshKeyOperations = [
  onReadableOrganization('GET', listPath, {
    id: 'listSshKeys',
    summary: 'List the SSH keys of an organization; paginated only if the query asks for a page.',
    reply: { 200: union(unpagedListOf(shape), listOf(shape)) },
    run: ({ context: { world, subject, address } }) =>
      ok(pageOrAll(sshKeysOf(world, subject.name), resourceOf, address)),
  }),
  onManagedOrganization.document('POST', listPath, rendering, {
    id: 'createSshKey',
    summary: 'Add an SSH key to an organization.',
    body: form,
    run: ({ context: { world, subject }, body }) =>
      createSshKey(world, subject.name, body().attributes),
  }),
  onReadableKey.document('GET', onePath, rendering, {
    id: 'readSshKey',
    summary: 'Read the name of an SSH key.',
    run: ({ context: { subject } }) => subject,
  }),
  onManagedKey.document('PATCH', onePath, rendering, {
    id: 'changeSshKey',
    summary: 'Change the name or the value of an SSH key.',
    body: form,
    run: ({ context: { world, subject }, body }) => changeSshKey(world, subject, body().attributes),
  }),
  onManagedKey('DELETE', onePath, {
    id: 'deleteSshKey',
    summary: 'Delete an SSH key, and remove it from its workspaces.',
    run: ({ context: { world, subject } }) => deleteSshKey(world, subject),
  }),
  onWorkspace.document(
    'PATCH',
    '/workspaces/:workspace_id/relationships/ssh-key',
    workspaceRendering,
    {
      id: 'assignSshKey',
      summary: 'Set the SSH key of a workspace; null removes it.',
      body: { type: workspaceType, attributes: optionalMembers({ id: strictText }) },
      run({ context, body }) {
        const { id = null } = body().attributes
        return assignSshKey(context.world, context.subject, id)
      },
    },
  ),
]
