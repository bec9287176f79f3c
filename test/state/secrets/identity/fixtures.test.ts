import { describe, expect, test } from 'vitest'
import { checkDocument } from '../../../../routes/control/state/documents.ts'
import { World } from '../../../../state/kernel/worlds/world.ts'
import type { SecretsFixtures } from '../../../../state/secrets/fixtures.ts'
import { aliasesOf } from '../../../../state/secrets/identity/aliases.ts'
import { findEntityByName } from '../../../../state/secrets/identity/entities.ts'
import { findGroupByName } from '../../../../state/secrets/identity/groups.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import { testTime } from '../../../support/secrets/secrets.ts'

const services = [secretsService]

/** Builds a world with fixtures, validated as the command validates them. */
function worldWith(secrets: SecretsFixtures): World {
  const document = checkDocument(services, { secrets })
  const clock = { mode: 'frozen', at: testTime } as const
  return new World({ id: 'test', services, seed: 'test', clock, document })
}

const mounts = { 'auth/userpass/': { type: 'userpass' } }

describe('behaviour/program#fixtures: the identity store', () => {
  test('entities with aliases, and groups with members, by name', () => {
    const world = worldWith({
      mounts,
      identity: {
        entities: {
          ada: { policies: ['p'], metadata: { team: 'ops' }, aliases: { 'auth/userpass': 'ada' } },
          bob: { disabled: true },
        },
        groups: {
          part: { entities: ['ada', 'Bob'] },
          whole: { policies: ['q'], groups: ['part'], metadata: { k: 'v' } },
          outside: { type: 'external', aliases: { 'auth/userpass/': 'dev' } },
        },
      },
    })
    const ada = findEntityByName(world, rootNamespace, 'ada')
    const bob = findEntityByName(world, rootNamespace, 'bob')
    const part = findGroupByName(world, rootNamespace, 'part')
    expect(ada).toMatchObject({ policies: ['p'], metadata: { team: 'ops' } })
    expect(bob?.disabled).toBe(true)
    expect(aliasesOf(world, { id: ada?.id ?? '' })).toMatchObject([{ name: 'ada' }])
    expect(part?.member_entity_ids).toEqual([ada?.id, bob?.id].sort())
    expect(findGroupByName(world, rootNamespace, 'whole')?.member_group_ids).toEqual([part?.id])
    expect(findGroupByName(world, rootNamespace, 'outside')?.alias?.name).toBe('dev')
  })

  test.each<[SecretsFixtures['identity'], string]>([
    [{ entities: { ada: { aliases: { 'auth/zz': 'a' } } } }, 'no login method is mounted at'],
    [{ groups: { g: { entities: ['zz'] } } }, 'no member is called zz'],
    [{ entities: { ada: { policies: ['root'] } } }, 'policies cannot contain root'],
  ])('%j is refused', (identity, text) => {
    expect(() => worldWith({ mounts, ...(identity && { identity }) })).toThrow(text)
  })
})
