import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Caller, hasRight, isOrganizationToken } from '../accounts/callers.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { Violations } from '../violations.ts'
import { hasWorkspaceRight } from '../workspaces/rights.ts'
import { putWorkspace, type Workspace, workspacesOf } from '../workspaces/workspaces.ts'

const keyShape = struct({
  /** Id of the form `sshkey-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  name: text,
  /** Private key. Replies never contain it. */
  value: text,
})

/** An SSH key with which workspaces fetch modules (behaviour/platform#ssh-keys). */
export interface SshKey extends StoredOf<typeof keyShape> {}

/** SSH keys by `<organization>/<number>`, numbered in creation order. */
export const sshKeys = platformTable('ssh-keys', keyShape, {
  secrets: { members: ['value'] },
  indexes: { byId: ({ id }) => id },
})

const rows = ownedRows(sshKeys, 'organization')

/**
 * Functions of `ownedRows` for the SSH keys of an organization. Lists are in creation order.
 * `moveSshKeys` moves the keys of an organization that is renamed.
 */
export const { of: sshKeysOf, withId: sshKeyWithId, dropAll: dropSshKeys, move: moveSshKeys } = rows

/**
 * Returns whether the caller may create, change and delete SSH keys. The caller needs the right
 * `manage-vcs-settings`; the token of the organization itself is not accepted.
 */
export function managesSshKeys(world: World, caller: Caller, organization: string): boolean {
  if (isOrganizationToken(caller, organization)) return false
  return hasRight(world, caller, organization, 'manage-vcs-settings')
}

/**
 * Returns whether the caller may read the SSH keys of an organization. The caller must manage the
 * keys or be an admin of at least one workspace.
 */
export function readsSshKeys(world: World, caller: Caller, organization: string): boolean {
  if (managesSshKeys(world, caller, organization)) return true
  return workspacesOf(world, organization).some((one) =>
    hasWorkspaceRight(world, caller, one, 'admin'),
  )
}

type SshKeyInput = TextInput<'name' | 'value'>

/** Creates an SSH key. Throws 422 if the name or the key is blank. */
export function createSshKey(world: World, organization: string, input: SshKeyInput): SshKey {
  const validated = validate(input)
  return world.write(() =>
    rows.put(world, { id: newId(world, 'sshkey'), organization, ...validated }),
  )
}

/** Changes the given members of an SSH key. Throws 422 if the new name or the new key is blank. */
export function changeSshKey(world: World, before: SshKey, input: SshKeyInput): SshKey {
  const key = { ...before, ...validate(input, before) }
  return world.write(() => rows.put(world, key))
}

function validate(input: SshKeyInput, before?: SshKey): Pick<SshKey, 'name' | 'value'> {
  const violations = new Violations()
  const name = updatedText(input.name, before?.name)
  const value = updatedText(input.value, before?.value)
  if (isBlank(name)) violations.add('name', 'blank')
  if (isBlank(value)) violations.add('value', 'blank')
  violations.check()
  return { name, value }
}

/** Deletes an SSH key and removes it from all workspaces. */
export function deleteSshKey(world: World, { id, organization }: SshKey): void {
  world.write(() => {
    rows.drop(world, { id })
    for (const workspace of workspacesOf(world, organization)) {
      if (workspace.ssh_key_id === id) putWorkspace(world, { ...workspace, ssh_key_id: null })
    }
  })
}

/**
 * Sets or removes the SSH key of a workspace. Throws 404 for a key that is unknown or belongs to
 * another organization.
 */
export function assignSshKey(world: World, workspace: Workspace, id: string | null): Workspace {
  const isKnown = id === null || sshKeyWithId(world, id)?.organization === workspace.organization
  if (!isKnown) throw refuse('not-found')
  const updated_at = world.clock.now()
  return world.write(() => putWorkspace(world, { ...workspace, ssh_key_id: id, updated_at }))
}
