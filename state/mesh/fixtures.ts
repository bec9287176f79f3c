import { list, map, name, text } from '../kernel/shape/kinds.ts'
import { described, optional, struct } from '../kernel/shape/members.ts'
import { givenMembers } from '../kernel/shape/schema.ts'
import type { Given } from '../kernel/shape/values.ts'
import type { World } from '../kernel/world.ts'
import { resolveLinks } from './acl/links.ts'
import { putKey } from './kv/writes.ts'
import { putNamespace, putRow } from './namespaces/changes.ts'
import {
  checkLabel,
  checkNotReserved,
  existingNamespace,
  namespaceNamed,
} from './namespaces/namespaces.ts'

const names = list(text)

const namespaceFixture = struct({
  name: text,
  description: optional(text),
  meta: optional(map(text)),
  policyDefaults: optional(described(names, 'Names of policies of the namespace `default`')),
  roleDefaults: optional(described(names, 'Names of roles of the namespace `default`')),
  keys: optional(described(map(text, name), 'Values of its key-value store, as text')),
})

/** A namespace as fixtures say it. */
export type NamespaceFixture = Given<typeof namespaceFixture>

const fixturesShape = struct({ namespaces: optional(list(namespaceFixture)) })

/**
 * The short forms of the mesh part of a fixtures document: namespaces, and what the builtin one has
 * besides.
 */
export type NamespaceFixtures = Given<typeof fixturesShape>

/** Schemas of the short forms of namespaces. */
export const namespaceFixtures = givenMembers(fixturesShape)

/** Adds namespaces without what they link to: policies and roles may live in them. */
export function loadNamespaces(world: World, { namespaces = [] }: NamespaceFixtures): void {
  for (const { name, description, meta } of namespaces) {
    const before = namespaceNamed(world, name)
    if (before === undefined) {
      checkLabel(name)
      checkNotReserved(name, 'mesh')
      putNamespace(world, { name, description: description ?? '', acls: null, meta: meta ?? {} })
    } else {
      const changed = { description: description ?? before.description, meta: meta ?? before.meta }
      world.write(() => putRow(world, { ...before, ...changed }))
    }
  }
}

/** Adds what namespaces hold and link to, once policies and roles are there. */
export function loadNamespaceContents(world: World, { namespaces = [] }: NamespaceFixtures): void {
  for (const { name, policyDefaults, roleDefaults, keys = {} } of namespaces) {
    const ids = (kind: 'policy' | 'role', linked: readonly string[] | undefined) =>
      linked === undefined
        ? null
        : resolveLinks(
            world,
            kind,
            linked.map((one) => ({ name: one })),
          )
    if (policyDefaults !== undefined || roleDefaults !== undefined) {
      const acls = {
        policy_defaults: ids('policy', policyDefaults),
        role_defaults: ids('role', roleDefaults),
      }
      world.write(() => putRow(world, { ...existingNamespace(world, name), acls }))
    }
    for (const [key, value] of Object.entries(keys)) {
      putKey(world, name, key, { value: Buffer.from(value), flags: 0 })
    }
  }
}
