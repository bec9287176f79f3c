import type { World } from '../../../../state/kernel/worlds/world.ts'
import { writeAlias } from '../../../../state/secrets/identity/alias-changes.ts'
import { aliasNamed, findAlias, removeAlias } from '../../../../state/secrets/identity/aliases.ts'
import { findEntity } from '../../../../state/secrets/identity/entities.ts'
import {
  deleteEntities,
  mergeEntities,
  writeEntity,
} from '../../../../state/secrets/identity/entity-changes.ts'
import {
  findGroupAlias,
  removeGroupAlias,
  writeGroupAlias,
} from '../../../../state/secrets/identity/group-aliases.ts'
import { removeGroup, writeGroup } from '../../../../state/secrets/identity/group-changes.ts'
import { findGroup } from '../../../../state/secrets/identity/groups.ts'
import { createLoginToken, grantLogin } from '../../../../state/secrets/logins/grants.ts'
import { defaultTokenFields } from '../../../../state/secrets/logins/token-fields.ts'
import { disableAuth, enableAuth } from '../../../../state/secrets/mounts/changes.ts'
import { mountByAccessor } from '../../../../state/secrets/mounts/mounts.ts'
import { rootNamespace as root } from '../../../../state/secrets/namespaces/namespaces.ts'
import { writePolicy } from '../../../../state/secrets/policies/policies.ts'
import { secretsWorld } from '../system-world.ts'
import { type Command, type Move, policies } from './identity-commands.ts'
import { type CreatedIds, IdentityModel } from './identity-model.ts'

/** Paths of the two login methods. */
const paths = ['one', 'two']

const enable = (world: World, path: string) =>
  enableAuth(world, root, {
    path,
    type: 'userpass',
    description: '',
    config: {},
    options: {},
    local: false,
    seal_wrap: false,
    external_entropy_access: false,
  }).accessor

/**
 * Builds a world with two login methods and policies whose paths reveal their holder, and its
 * model.
 */
export function identityWorld(): readonly [World, IdentityModel] {
  const created = secretsWorld()
  for (const name of policies) {
    writePolicy(created, root, name, `path "by/${name}" { capabilities = ["read"] }`)
  }
  const own = 'path "own/{{identity.entity.name}}" { capabilities = ["read"] }'
  writePolicy(created, root, 'own', own)
  return [created, new IdentityModel(paths.map((path) => enable(created, path)))]
}

/** Ids created so far, by kind in order of creation. */
export type CreatedInRun = Readonly<
  Record<'entities' | 'aliases' | 'groups' | 'groupAliases', Set<string>>
>

/** Resolves the numbers of a command to ids: mostly existing ones, some deleted or unknown. */
export function resolved(
  step: Command<number, number>,
  model: IdentityModel,
  createdInRun: CreatedInRun,
): Move {
  const live = {
    entities: [...model.entities.keys()],
    aliases: [...model.aliases.keys()],
    groups: [...model.groups.keys()],
    groupAliases: [...model.groups.values()].flatMap(({ alias }) => alias?.id ?? []),
  }
  const of = (kind: keyof CreatedInRun) => (at: number) => {
    if (at < 18 && live[kind].length > 0) return live[kind][at % live[kind].length] ?? ''
    return at % 2 === 0
      ? ([...createdInRun[kind]].find((id) => !live[kind].includes(id)) ?? 'x')
      : 'x'
  }
  const some = (kind: keyof CreatedInRun, at: number | undefined) =>
    at === undefined ? undefined : of(kind)(at)
  const method = (at: number) => model.methods[at] ?? 'auth_userpass_00000000'
  const there = (at: number | undefined) => (at === undefined ? undefined : method(at))
  switch (step.kind) {
    case 'login':
    case 'remount':
      return { ...step, method: method(step.method) }
    case 'entity':
      return { ...step, id: some('entities', step.id) }
    case 'delete-entities':
      return { ...step, ids: step.ids.map(of('entities')) }
    case 'merge':
      return {
        kind: 'merge',
        to: some('entities', step.to),
        from: step.from.map(of('entities')),
        keep: step.keep.map(of('aliases')),
      }
    case 'alias':
      return {
        ...step,
        id: some('aliases', step.id),
        method: there(step.method),
        entity: some('entities', step.entity),
      }
    case 'delete-alias':
      return { ...step, id: of('aliases')(step.id) }
    case 'group':
      return {
        ...step,
        id: some('groups', step.id),
        entities: step.entities?.map(of('entities')),
        groups: step.groups?.map(of('groups')),
      }
    case 'delete-group':
      return { ...step, id: of('groups')(step.id) }
    case 'group-alias':
      return {
        ...step,
        id: some('groupAliases', step.id),
        method: there(step.method),
        group: some('groups', step.group),
      }
    case 'delete-group-alias':
      return { ...step, id: of('groupAliases')(step.id) }
  }
}

/** Applies a move to the world; returns what it created. */
export function act(world: World, move: Move): CreatedIds {
  switch (move.kind) {
    case 'login': {
      const mount = mountByAccessor(world, move.method)
      if (mount === undefined) throw new Error('the method is not there')
      const fields = { ...defaultTokenFields, token_policies: ['own'] }
      const at = { namespace: root, mount, path: `login/${move.name}`, alias: move.name }
      const provided = { name: move.name, metadata: {}, fields }
      const groups = move.groups && { groups: move.groups }
      const grant = grantLogin(world, { ...at, ...provided, ...groups })
      const { token } = createLoginToken(world, grant)
      return { ...ofAlias(world, aliasNamed(world, move.method, move.name)), token: token.id }
    }
    case 'entity': {
      const { entity } = writeEntity(world, root, move)
      return { entity: entity.id, entityName: entity.name }
    }
    case 'delete-entities':
      deleteEntities(world, root, move.ids)
      return {}
    case 'merge':
      mergeEntities(world, root, {
        to_entity_id: move.to,
        from_entity_ids: move.from,
        conflicting_alias_ids_to_keep: move.keep,
      })
      return {}
    case 'alias': {
      const { method, entity, ...rest } = move
      const change = { ...rest, mount_accessor: method, canonical_id: entity }
      return ofAlias(world, writeAlias(world, root, change))
    }
    case 'delete-alias': {
      const alias = findAlias(world, root, move.id)
      if (alias !== undefined) removeAlias(world, alias)
      return {}
    }
    case 'group': {
      const { entities, groups, ...rest } = move
      const change = { ...rest, member_entity_ids: entities, member_group_ids: groups }
      const { group } = writeGroup(world, root, change)
      return { group: group.id, groupName: group.name }
    }
    case 'delete-group': {
      const group = findGroup(world, root, move.id)
      if (group !== undefined) removeGroup(world, group)
      return {}
    }
    case 'group-alias': {
      const { id, name, method, group } = move
      const change = { id, name, mount_accessor: method, canonical_id: group }
      const result = writeGroupAlias(world, root, change)
      if (result === undefined) return {}
      return { group: result.group.id, groupName: result.group.name, alias: result.alias.id }
    }
    case 'delete-group-alias': {
      const found = findGroupAlias(world, root, move.id)
      if (found !== undefined) removeGroupAlias(world, found)
      return {}
    }
    case 'remount': {
      const path = mountByAccessor(world, move.method)?.path.slice('auth/'.length) ?? ''
      disableAuth(world, root, path)
      return { accessor: enable(world, path) }
    }
  }
}

function ofAlias(world: World, alias: ReturnType<typeof findAlias>): CreatedIds {
  if (alias === undefined) return {}
  const owner = findEntity(world, root, alias.canonical_id)
  return { alias: alias.id, entity: alias.canonical_id, entityName: owner?.name ?? '' }
}
