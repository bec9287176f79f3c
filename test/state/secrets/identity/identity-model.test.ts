import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { aliasesIn, aliasesOf } from '../../../../state/secrets/identity/aliases.ts'
import { entitiesIn } from '../../../../state/secrets/identity/entities.ts'
import { allGroups } from '../../../../state/secrets/identity/entity-policies.ts'
import { groupsIn, groupsOf, parentsOf } from '../../../../state/secrets/identity/groups.ts'
import { lookUpEntity, lookUpGroup } from '../../../../state/secrets/identity/lookup.ts'
import { rootNamespace as root } from '../../../../state/secrets/namespaces/namespaces.ts'
import { capabilitiesOf } from '../../../../state/secrets/policies/acl.ts'
import { requireUsableToken } from '../../../../state/secrets/tokens/tokens.ts'
import { command, names, opening, policies } from './identity-commands.ts'
import type { CreatedIds, IdentityModel } from './identity-model.ts'
import { act, type CreatedInRun, identityWorld, resolved } from './run-commands.ts'

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort()

/** Returns the world's identity store in the form of the model. */
function identityState(world: World, { methods, tokens }: IdentityModel) {
  const entities = entitiesIn(world, root).map((entity) => ({
    id: entity.id,
    name: entity.name,
    policies: entity.policies,
    disabled: entity.disabled,
    was: [...entity.merged_entity_ids].sort(),
    aliases: ids(aliasesOf(world, entity)),
    direct: ids(groupsOf(world, entity.id)),
    all: ids(allGroups(world, entity)),
  }))
  const groups = groupsIn(world, root).map((group) => ({
    id: group.id,
    name: group.name,
    type: group.type,
    policies: group.policies,
    entities: [...(group.member_entity_ids ?? [])].sort(),
    groups: [...group.member_group_ids].sort(),
    parents: ids(parentsOf(world, group.id)),
    alias: group.alias && [group.alias.id, group.alias.name, group.alias.mount_accessor],
  }))
  const at = methods.flatMap((alias_mount_accessor) =>
    names.map((alias_name) => ({ alias_mount_accessor, alias_name })),
  )
  return {
    entities,
    groups,
    aliases: aliasesIn(world, root).map((alias) => ({
      id: alias.id,
      name: alias.name,
      method: alias.mount_accessor,
      owner: alias.canonical_id,
    })),
    byName: names.map((name) => [
      lookUpEntity(world, root, { name })?.id,
      lookUpGroup(world, root, { name })?.id,
    ]),
    byAlias: at.map((query) => [
      lookUpEntity(world, root, query)?.id,
      lookUpGroup(world, root, query)?.id,
    ]),
    tokens: [...tokens.keys()].map((token) => rightsOf(world, token)),
  }
}

/** Returns the policies and the entity name that a token's paths reveal; or the refusal. */
function rightsOf(world: World, id: string): object | string {
  try {
    const token = requireUsableToken(world, id)
    const may = (path: string) => capabilitiesOf(world, token, path).includes('read')
    return {
      by: policies.filter((name) => may(`by/${name}`)),
      own: names.filter((name) => may(`own/${name}`)),
    }
  } catch (error) {
    if (error instanceof Refusal) return error.rule
    throw error
  }
}

/** Returns the model's state in the form of `identityState`. */
function expected(model: IdentityModel): ReturnType<typeof identityState> {
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
  const groups = Array.from(model.groups, ([id, { entities, groups, alias, ...rest }]) => ({
    id,
    ...rest,
    entities: [...entities].sort(),
    groups: [...groups].sort(),
    parents: [...model.groups].flatMap(([each, parent]) => (parent.groups.has(id) ? [each] : [])),
    alias: alias && [alias.id, alias.name, alias.method],
  }))
  for (const { parents } of groups) parents.sort()
  const entities = Array.from(model.entities, ([id, { was, ...rest }]) => ({
    id,
    ...rest,
    was: [...was].sort(),
    aliases: model.aliasesOf(id),
    direct: model.groupsOf(id, 'direct'),
    all: model.groupsOf(id, 'all'),
  }))
  const ownerOf = (alias: string | undefined) => model.aliases.get(alias ?? '')?.owner
  return {
    entities: entities.sort(byId),
    groups: groups.sort(byId),
    aliases: Array.from(model.aliases, ([id, alias]) => ({ id, ...alias })).sort(byId),
    byName: names.map((name) => [model.named('entities', name), model.named('groups', name)]),
    byAlias: model.methods.flatMap((method) =>
      names.map((name) => [ownerOf(model.aliasAt(method, name)), model.groupAt(method, name)]),
    ),
    tokens: [...model.tokens.keys()].map((token) => {
      const [id = '', entity] = model.holder(token) ?? []
      if (entity === undefined || entity.disabled) return 'token-refused'
      const held = model
        .groupsOf(id, 'all')
        .flatMap((each) => model.groups.get(each)?.policies ?? [])
      return {
        by: policies.filter((name) => [...entity.policies, ...held].includes(name)),
        own: names.filter((name) => name === entity.name),
      }
    }),
  }
}

/** Checks that names are unique regardless of case. Names of aliases must be unique per method. */
function expectUnique({ entities, groups, aliases }: ReturnType<typeof identityState>): void {
  const keys = [
    entities.map(({ name }) => name),
    groups.map(({ name }) => name),
    aliases.map(({ name, method }) => `${method}/${name}`),
    aliases.map(({ owner, method }) => `${method}/${owner}`),
    groups.flatMap(({ alias }) => (alias === null ? [] : `${alias[2]}/${alias[1]}`)),
  ]
  for (const each of keys) {
    expect(new Set(each.map((key) => key.toLowerCase())).size).toBe(each.length)
  }
}

describe('behaviour/secrets#identity, against a plain model', () => {
  test('entities, aliases and groups keep their identity under any operations', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 30, maxLength: 50, size: 'max' }), (steps) => {
        const [world, model] = identityWorld()
        const seen: CreatedInRun = {
          entities: new Set(),
          aliases: new Set(),
          groups: new Set(),
          groupAliases: new Set(),
        }
        for (const step of [...opening, ...steps]) {
          const move = resolved(step, model, seen)
          const before = world.store.index('secrets')
          let outcome = 'done'
          let created: CreatedIds = {}
          try {
            created = act(world, move)
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
            outcome = error.rule
            expect(world.store.index('secrets')).toBe(before)
          }
          expect([move, outcome]).toEqual([move, model.act(move, created)])
          const actual = identityState(world, model)
          expectUnique(actual)
          expect(actual).toEqual(expected(model))
          for (const { id } of actual.entities) seen.entities.add(id)
          for (const { id } of actual.aliases) seen.aliases.add(id)
          for (const { id, alias } of actual.groups) {
            seen.groups.add(id)
            if (alias !== null) seen.groupAliases.add(alias[0] ?? '')
          }
        }
      }),
      { numRuns: 80 },
    )
  })
})
