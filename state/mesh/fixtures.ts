import type { JsonSchema } from '../kernel/schema.ts'
import type { World } from '../kernel/world.ts'
import { resolveLinks } from './acl/links.ts'
import { putKey } from './kv/writes.ts'
import { putNamespace, putRow } from './namespaces/changes.ts'
import { checkLabel, checkNotReserved } from './namespaces/names.ts'
import { existingNamespace, namespaceNamed } from './namespaces/namespaces.ts'

/** A namespace as fixtures say it. */
interface NamespaceFixture {
  readonly name: string
  readonly description?: string
  readonly meta?: Readonly<Record<string, string>>
  /** Names of policies and roles of the namespace `default`. */
  readonly policyDefaults?: readonly string[]
  readonly roleDefaults?: readonly string[]
  /** Values of its key-value store, as text. */
  readonly keys?: Readonly<Record<string, string>>
}

/**
 * The short forms of the mesh part of a fixtures document: namespaces, and what the builtin one has
 * besides.
 */
export interface NamespaceFixtures {
  readonly namespaces?: readonly NamespaceFixture[]
}

const texts = { type: 'object', additionalProperties: { type: 'string' } } as const
const names = { type: 'array', items: { type: 'string' } } as const

/** Schemas of the short forms of namespaces. */
export const namespaceFixtures: Readonly<Record<string, JsonSchema>> = {
  namespaces: {
    type: 'array',
    items: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        description: { type: 'string' },
        meta: texts,
        policyDefaults: names,
        roleDefaults: names,
        keys: { ...texts, propertyNames: { minLength: 1 } },
      },
    },
  },
}

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
